/**
 * Sequences of frames: where they come from (arrays, videos), and what stands between a sequence and who reads it:
 * ranges, reading ahead, lenses that are taken out, interlaced rows. Names {@code common} and {@code options}.
 */
package endorama.core.frames;
