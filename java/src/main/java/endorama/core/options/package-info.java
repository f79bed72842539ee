/**
 * The options of all commands: their tables, the forms in which they are written, and what they mean for a run. Names
 * no other room.
 */
package endorama.core.options;
