/**
 * Adaptive equalization of single images. Names {@code common}, {@code options}, {@code frames}, {@code transforms}
 * and {@code engine}.
 */
package endorama.core.equalize;
