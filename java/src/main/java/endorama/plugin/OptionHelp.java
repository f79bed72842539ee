package endorama.plugin;

import endorama.core.options.Group;
import endorama.core.options.Option;
import endorama.core.options.OptionTable;

/** The help of a dialog: for each option its name there, its purpose, the allowed values, and when to change it. */
final class OptionHelp {
    private OptionHelp() {
    }

    static String html(OptionTable table) {
        StringBuilder html = new StringBuilder("<html><h3>").append(table.title().replace("...", "")).append("</h3>")
                .append(table.help());
        for (Group group : Group.values()) {
            StringBuilder rows = new StringBuilder();
            for (Option option : table.options(group)) {
                rows.append(row(option));
            }
            if (rows.length() > 0) {
                html.append("<h4>").append(group.title()).append("</h4><table border=0 cellspacing=3>").append(rows)
                        .append("</table>");
            }
        }
        return html.append("</html>").toString();
    }

    private static String row(Option option) {
        String unit = option.unit().isEmpty() ? "" : " " + option.unit();
        String fallback = option.type() == Option.Type.FLAG
                ? option.fallback().equals(Boolean.TRUE) ? "; default on" : "; default off"
                : "".equals(option.fallback()) ? "" : "; default " + escaped(Option.plain(option.fallback())) + unit;
        return "<tr><td valign=top width=180><b>" + escaped(option.shown()) + "</b><br><font size=-1>in macros <code>"
                + option.key() + "</code></font></td><td width=420>" + escaped(option.help()) + "<br><i>"
                + escaped(option.allowed()).replace("`", "") + unit + fallback + "</i>"
                + (option.when().isEmpty() ? "" : "<br>When to change: " + escaped(option.when())) + "</td></tr>";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
