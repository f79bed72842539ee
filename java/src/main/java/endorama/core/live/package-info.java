/** Frames that come while they are made: from pipes, watched folders, or files at a pace. */
package endorama.core.live;
