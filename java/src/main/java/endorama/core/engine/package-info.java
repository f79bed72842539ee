/**
 * Basics of every run over frames: the back end, frames lent to the library, the field of view, and aligned frames. Names
 * {@code common}, {@code options}, {@code frames} and {@code transforms}.
 */
package endorama.core.engine;
