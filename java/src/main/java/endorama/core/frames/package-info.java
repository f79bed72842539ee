/**
 * Sequences of frames: sources (arrays, videos) and their wrappers: frame ranges, reading ahead, stretched grey values. Names
 * {@code common} and {@code options}.
 */
package endorama.core.frames;
