/** Pictures of a run for ImageJ and the shell, drawn with ImageJ's classes without a window. */
package endorama.picture;
