/**
 * The alignment of differently exposed frames. Names {@code common}, {@code options}, {@code frames}, {@code transforms},
 * {@code engine} and {@code chains}.
 */
package endorama.core.exposures;
