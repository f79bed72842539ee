/**
 * Registration of images and volumes by mutual information. Names {@code common}, {@code files}, {@code options},
 * {@code frames}, {@code transforms}, {@code volumes}, {@code engine} and, for where to start, {@code fourier}.
 */
package endorama.core.mutual;
