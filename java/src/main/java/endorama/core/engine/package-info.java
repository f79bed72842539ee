/**
 * What every run over frames stands on: the back end, the native store and how frames get into it, what is seen of a
 * frame's field, frames moved to their places, and what becomes of a run when a device fails. Names {@code common},
 * {@code options}, {@code frames} and {@code transforms}.
 */
package endorama.core.engine;
