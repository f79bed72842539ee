/**
 * What every computation has: progress and how it is stopped, what is said of it, its times, and threads. Names no
 * other room.
 */
package endorama.core.common;
