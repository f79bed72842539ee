/** Registration by spectra: rotation, scale and translation. Names what {@code exposures} names, and that. */
package endorama.core.fourier;
