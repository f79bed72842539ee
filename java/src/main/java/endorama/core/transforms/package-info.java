/**
 * Maps of the plane, a sequence's transforms, and the files that they are kept in, also those of other programs. Names
 * {@code files}, {@code options} and {@code frames}.
 */
package endorama.core.transforms;
