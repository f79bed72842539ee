/** The option tables of all commands, their text forms, and the parameters of a run. Names no other package. */
package endorama.core.options;
