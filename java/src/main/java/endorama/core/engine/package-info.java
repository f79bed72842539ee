/**
 * What every run over frames stands on: the back end, frames lent to the library, what is seen of a frame's field, and frames
 * moved to their places. Names {@code common}, {@code options}, {@code frames} and {@code transforms}.
 */
package endorama.core.engine;
