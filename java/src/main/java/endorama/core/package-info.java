/**
 * What the commands do, without ImageJ and without a window. In rooms, from the ground up: {@code common} and
 * {@code files} (small things), {@code options}, {@code frames} (sequences), {@code transforms}, {@code volumes},
 * {@code engine} (the library at work on frames), {@code paint} (panoramas), {@code pairs} (of frames, registered),
 * {@code places} (of all frames, solved for), {@code mosaic} (the runs); beside that {@code chains} (frames one after
 * the other), {@code exposures}, {@code fourier}, {@code mutual} and {@code equalize}, a room for each further command.
 * A room names lower ones alone; which, its own description says.
 */
package endorama.core;
