package endorama.report;

import endorama.core.files.AtomicFile;
import endorama.core.frames.FrameReadException;
import endorama.core.frames.FrameSource;
import endorama.core.frames.Frames;
import endorama.core.mosaic.FrameRow;
import endorama.core.mosaic.MosaicResult;
import endorama.core.options.Commands;
import endorama.core.options.Option;
import endorama.core.paint.Panorama;
import endorama.jni.NativeLibrary;
import endorama.jni.NativeMosaic;
import endorama.jni.Verdict;
import endorama.picture.ImageSlices;
import ij.process.ImageProcessor;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The report of a mosaic: a page that stands alone (its pictures are in it, it has no scripts and asks for nothing) and says
 * whether the panorama can be used, where it cannot, and what was done. Every number in it is the run's own.
 */
public final class Report {
    /** Pictures of frames at most, each for a stretch, and their longest side, px. */
    static final int PICTURES = 24;
    private static final int PICTURE_SIDE = 240;
    /** Panoramas that are shown at most. */
    static final int PANORAMAS = 6;

    private final MosaicResult result;
    private final FrameSource source;
    private final String name;
    private final Map<String, Object> options;
    private final List<Stretch> stretches;
    private final Html html = new Html();

    /** The report of a run over a source, whose name and options it tells. */
    public Report(MosaicResult result, FrameSource source, String name, Map<String, Object> options) {
        this.result = result;
        this.source = source;
        this.name = name;
        this.options = options;
        this.stretches = Stretch.of(result.rows());
    }

    /** Writes the page. */
    public void write(File file) throws IOException {
        AtomicFile.write(file, page());
    }

    String page() throws IOException {
        html.add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
        html.add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Report: %s</title>", name);
        html.add("<style>\n%s</style>\n</head>\n<body>\n<main>", new Html().add(style().replace("%", "%%")));
        head();
        int panoramas = result.panoramas().size();
        for (int component = 1; component <= Math.min(PANORAMAS, panoramas); component++) {
            panorama(component);
        }
        if (panoramas > PANORAMAS) {
            html.add("<p>%s smaller panoramas are not shown; they are files of their own.</p>", panoramas - PANORAMAS);
        }
        strip();
        frames();
        found();
        made();
        html.add("</main>\n</body>\n</html>");
        return html.toString();
    }

    private static String style() throws IOException {
        try (InputStream in = Report.class.getResourceAsStream("report.css")) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int b = in.read(); b >= 0; b = in.read()) {
                bytes.write(b);
            }
            return bytes.toString("UTF-8");
        }
    }

    // --------------------------------------------------------------------- verdict

    private void head() {
        Verdict verdict = result.verdict();
        String mark = verdict.isGood() ? "✓" : verdict.grade == Verdict.Grade.LOOK ? "!" : "✕";
        html.add("<header>\n<p class=\"kind\">Panorama report</p>\n<h1>%s</h1>", name);
        html.add("<div class=\"verdict %s\"><span class=\"mark\" aria-hidden=\"true\">%s</span><div><strong>%s</strong>",
                verdict.grade.name().toLowerCase(Locale.ROOT), mark, capital(verdict.word));
        html.add("<p>%s.</p>", capital(verdict.why));
        if (!verdict.next.isEmpty()) {
            html.add("<p>Next: %s.</p>", verdict.next);
        }
        html.add("</div></div>");
        if (!verdict.advice.isEmpty()) {
            html.add("<h2>What may help</h2>\n<ul class=\"advice\">");
            for (String one : verdict.advice) {
                html.add("<li>%s</li>", one);
            }
            html.add("</ul>");
        }
        html.add("</header>");
    }

    private static String capital(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    // ------------------------------------------------------------------- panoramas

    private void panorama(int component) throws IOException {
        Panorama panorama = result.panoramas().get(component - 1);
        String title = result.panoramas().size() > 1 ? "Panorama " + component + " of " + result.panoramas().size() : "Panorama";
        html.add("<section>\n<h2>%s</h2>", title);
        if (panorama == null) {
            html.add("<p>%s frames, none of which is painted.</p>\n</section>", result.framesOf(component));
            return;
        }
        html.add("<p>%s of %s frames, %s × %s pixels.%s</p>", result.framesOf(component), result.rows().size(), panorama.width(),
                panorama.height(), position(component));
        html.add("%s", new PathPicture(result, panorama, component).draw(title));
        legend("key sure", "path of the middle of the view", "key uncertain", "position uncertain", "key gap", "frames left out",
                "dot first", "first frame", "dot last", "last frame");
    }

    /** The frame whose position is known least; "" where it is not known. */
    private String position(int component) {
        FrameRow least = null;
        for (FrameRow row : result.rows()) {
            if (row.registered && row.part == component && (least == null || row.deviation > least.deviation)) {
                least = row;
            }
        }
        return least == null || !(least.deviation > 0) ? "" : String.format(Locale.ROOT, " The position of frame %d is"
                + " known least: to %s of a frame (standard deviation, relative to the panorama's first frame).", least.frame,
                least.deviation < 0.1 ? "less than 0.1 pixels" : String.format(Locale.ROOT, "%.1f pixels", least.deviation));
    }

    private void strip() {
        if (result.rows().isEmpty()) {
            return;
        }
        html.add("<section>\n<h2>Every frame</h2>\n%s", new FrameStrip(result.rows(), stretches).draw());
        legend("key doubtband", "position uncertain", "key hatchband", "missing", "key borderline", "another panorama begins");
    }

    /** Ends a section with what its colours mean: pairs of a style and words. */
    private void legend(String... keys) {
        html.add("<ul class=\"legend\">");
        for (int i = 0; i < keys.length; i += 2) {
            html.add("<li><span class=\"%s\"></span>%s</li>", keys[i], keys[i + 1]);
        }
        html.add("</ul>\n</section>");
    }

    // ---------------------------------------------------------------------- frames

    private void frames() throws IOException {
        List<Stretch> shown = new ArrayList<Stretch>();
        for (Stretch s : stretches) {
            if (s.fate != Stretch.Fate.PLACED) {
                shown.add(s);
            }
        }
        if (shown.isEmpty()) {
            return;
        }
        html.add("<section>\n<h2>Frames to look at</h2>\n<div class=\"frames\">");
        for (Stretch s : shown.subList(0, Math.min(PICTURES, shown.size()))) {
            frame(s);
        }
        html.add("</div>");
        if (shown.size() > PICTURES) {
            html.add("<p>There are %s more stretches of uncertain or missing frames; the frame table lists them all.</p>",
                    shown.size() - PICTURES);
        }
        html.add("</section>");
    }

    private void frame(Stretch s) throws IOException {
        html.add("<figure class=\"%s\">", s.fate == Stretch.Fate.MISSING ? "lost" : "unsure");
        int middle = s.middle();
        try {
            if (source.isLasting()) {
                html.add("<img alt=\"frame %s\" src=\"%s\">", source.number(middle), picture(middle));
            }
        } catch (FrameReadException e) {
            html.add("<div class=\"unreadable\">cannot be read</div>");
        }
        String label = source.label(middle);
        String which = s.first == s.last ? "" : ", here frame " + source.number(middle);
        html.add("<figcaption><strong>%s: %s</strong>%s<br>%s</figcaption>\n</figure>", capital(s.name()),
                s.fate == Stretch.Fate.MISSING ? "missing" : "uncertain",
                which + (label == null || label.isEmpty() ? "" : " (" + label + ")"), s.reason(result.events()));
    }

    private String picture(int frame) throws IOException {
        Object pixels = Frames.pixels(source, frame);
        ImageProcessor whole = ImageSlices.processor(pixels, source.width(), source.height());
        double shrink = Math.min(1, (double) PICTURE_SIDE / Math.max(source.width(), source.height()));
        whole.setInterpolationMethod(ImageProcessor.BILINEAR);
        ImageProcessor small = whole.resize(Math.max(1, (int) Math.round(source.width() * shrink)),
                Math.max(1, (int) Math.round(source.height() * shrink)), true);
        source.giveBack(frame, pixels);
        return Html.address(small.convertToRGB().getBufferedImage());
    }

    // ----------------------------------------------------------------------- facts

    private void found() {
        html.add("<section>\n<h2>What was found</h2>\n<table class=\"facts\">");
        fact("Frames", result.registered() - result.doubtful() + " surely placed, " + result.doubtful()
                + " with an uncertain position, " + (result.rows().size() - result.registered()) + " missing; panoramas: "
                + result.panoramas().size());
        fact("Field of view", result.field());
        fact("Light", result.light() == null ? "not evened" : result.light().toString());
        for (NativeMosaic.Event event : result.events()) {
            if (event.kind == NativeMosaic.FIELD) {
                fact("Picture", event.text);
            }
        }
        fact("Lens", result.lens() == 0 ? "no distortion taken out" : Option.plain(result.lens()) + " % of distortion taken out");
        for (String warning : result.warnings()) {
            fact("Warning", warning);
        }
        if (!Double.isNaN(result.meanQuality())) {
            fact("Match", String.format(Locale.ROOT, "%.2f on average between neighbouring frames (1: perfect; noise lowers it)",
                    result.meanQuality()));
        }
        html.add("</table>\n</section>");
    }

    private void fact(String what, String value) {
        html.add("<tr><th scope=\"row\">%s</th><td>%s</td></tr>", what, value);
    }

    private void made() {
        html.add("<section>\n<h2>How it was made</h2>\n<table class=\"facts\">");
        fact("Software", "Endorama " + NativeLibrary.VERSION + ", Java " + System.getProperty("java.version") + ", "
                + System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        fact("Computed by", result.backend());
        fact("Time", String.format(Locale.ROOT, "%.1f s for %d frames of %d × %d pixels", result.seconds(), result.rows().size(),
                result.width(), result.height()));
        html.add("</table>\n<h3>Options</h3>\n<p>Those that differ from the default are bold.</p>\n<ul class=\"options\">");
        for (Map.Entry<String, Object> option : options.entrySet()) {
            Option known = (Commands.MOSAIC.has(option.getKey()) ? Commands.MOSAIC : Commands.LIVE).option(option.getKey());
            String value = Option.plain(option.getValue());
            boolean usual = value.equals(Option.plain(known.fallback()));
            if (!value.isEmpty() && known.type() != Option.Type.FILE) {
                html.add("<li class=\"%s\"><span>%s</span> %s</li>", usual ? "usual" : "changed", option.getKey(), value);
            }
        }
        html.add("</ul>");
        if (!result.log().isEmpty()) {
            html.add("<h3>Messages of the run</h3>\n<ol class=\"messages\">");
            for (String line : result.log()) {
                html.add("<li>%s</li>", line);
            }
            html.add("</ol>");
        }
        html.add("</section>");
    }
}
