/**
 * Maps of the plane, the transforms of a sequence, and their files, also those of other programs. Names {@code files}, {@code
 * options} and {@code frames}.
 */
package endorama.core.transforms;
