/**
 * Pairs of frames: registered in calls of many, what is found of each, and when it is not believed; key frames, and
 * the rows of the frame table. Names {@code common}, {@code files}, {@code frames}, {@code transforms} and
 * {@code engine}.
 */
package endorama.core.pairs;
