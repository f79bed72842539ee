/**
 * What every run over frames stands on: the back end, the native store and how frames get into it, what is seen of a
 * frame's field, and what becomes of them when a device fails. Names {@code common}, {@code options}, {@code frames},
 * {@code transforms} and {@code volumes}.
 */
package endorama.core.engine;
