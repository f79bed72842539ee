/**
 * Files as such: written whole or not at all, read with the line that is wrong; which files a run reads and writes.
 * What is in them is the matter of other rooms, of which it names none.
 */
package endorama.core.files;
