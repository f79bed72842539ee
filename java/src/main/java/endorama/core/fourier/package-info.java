/** Registration by spectra, and aligned frames as a sequence. Names what {@code exposures} names, and that. */
package endorama.core.fourier;
