/**
 * What the commands do, without ImageJ and without a window: sequences of frames, their registration into a chain
 * of transforms, the growing panorama, and the files in which results are kept.
 */
package endorama.core;
