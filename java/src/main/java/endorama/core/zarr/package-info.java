/**
 * OME-Zarr: panoramas written as NGFF 0.4 and 0.5, and images read as frames. Names {@code common}, {@code files}, {@code
 * frames}, {@code transforms} and {@code paint}.
 */
package endorama.core.zarr;
