/**
 * The native library as Java objects: loading, handles with an owner, typed calls, and exceptions with the library's messages.
 * Uses neither ImageJ nor the commands.
 */
package endorama.jni;
