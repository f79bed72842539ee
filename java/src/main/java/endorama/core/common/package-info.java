/** Basics of every computation: progress and stopping, messages, times, and threads. Names no other package. */
package endorama.core.common;
