/**
 * The alignment of differently exposed frames. Names {@code common}, {@code files}, {@code options}, {@code frames},
 * {@code transforms} and {@code engine}.
 */
package endorama.core.exposures;
