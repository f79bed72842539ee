/**
 * Panoramas of frames whose places are known: canvases, blending, light, sharpness, and the pictures that come of
 * them. How places are found is nothing to it. Names {@code common}, {@code files}, {@code options}, {@code frames},
 * {@code transforms} and {@code engine}.
 */
package endorama.core.paint;
