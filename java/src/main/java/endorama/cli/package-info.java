/**
 * The commands from a shell, with exit codes: files in and out. Of ImageJ only what reads and writes images, and
 * macros.
 */
package endorama.cli;
