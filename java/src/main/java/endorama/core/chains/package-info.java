/**
 * Frames that are registered one after the other by the library: the run, its rows and their table. Names {@code common},
 * {@code files}, {@code options}, {@code frames}, {@code transforms} and {@code engine}.
 */
package endorama.core.chains;
