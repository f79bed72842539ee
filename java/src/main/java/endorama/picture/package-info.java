/** What the commands in ImageJ and those of the shell draw of a run: with ImageJ's classes, without a window. */
package endorama.picture;
