/**
 * Files: written whole or not at all, read with the number of a wrong line, and checked against overwriting. Their content is
 * up to other packages, of which it names none.
 */
package endorama.core.files;
