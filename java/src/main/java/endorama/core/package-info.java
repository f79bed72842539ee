/**
 * The commands without ImageJ and without windows. Packages, from the ground up: {@code common} and {@code files} (basics),
 * {@code options}, {@code frames} (sequences), {@code transforms}, {@code volumes}, {@code engine} (the library at work on
 * frames), {@code paint} (panoramas), {@code mosaic} (the runs); beside that {@code chains} (frames one after the other), and
 * {@code exposures}, {@code fourier}, {@code mutual} and {@code equalize}, one for each further command. A package names only
 * lower ones; its description lists which.
 */
package endorama.core;
