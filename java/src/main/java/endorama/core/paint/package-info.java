/**
 * Panoramas and the pictures made from them, whatever their poses come from. Names {@code common}, {@code files}, {@code
 * options}, {@code frames}, {@code transforms} and {@code engine}.
 */
package endorama.core.paint;
