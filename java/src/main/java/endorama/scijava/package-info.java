/**
 * The commands for SciJava, Fiji's other world: found by its search bar, run by scripts and by pyimagej, which get the results as
 * objects. Plain ImageJ never loads these classes, and needs nothing of SciJava.
 */
package endorama.scijava;
