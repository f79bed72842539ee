/**
 * Runs over a sequence: their stages, chains of frames, lost and found ones, what a stage leaves for the next; known
 * transforms applied and measured. Names all rooms below but {@code volumes}.
 */
package endorama.core.mosaic;
