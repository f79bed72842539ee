/** The commands in ImageJ: menu entries, dialogs, macro recorder, windows. What they compute is in {@code core}. */
package endorama.plugin;
