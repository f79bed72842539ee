/** Fourier registration: rotation, scale and translation. Names the packages that {@code exposures} names, and that one. */
package endorama.core.fourier;
