/**
 * The native library as Java objects: loading, handles with an owner, typed calls, and exceptions that carry
 * the library's own message. Knows neither ImageJ nor how a panorama is made.
 */
package endorama.jni;
