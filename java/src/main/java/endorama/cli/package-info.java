/** The commands of the shell, with exit codes: files in and out. Uses ImageJ only for images and macros. */
package endorama.cli;
