/** Volumes, their grids, and their files. Names {@code files}, {@code options}, {@code frames} and {@code transforms}. */
package endorama.core.volumes;
