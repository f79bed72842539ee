/** The commands in ImageJ: menu entries, dialogs, macro recorder, windows. They compute with {@code core}. */
package endorama.plugin;
