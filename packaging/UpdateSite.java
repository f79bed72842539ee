import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Puts a plugin's jar onto an update site of Fiji:
 * <pre>java UpdateSite.java JAR SITE</pre>
 * SITE is the folder that the web server shows. Afterwards it holds {@code plugins/NAME.jar-TIMESTAMP} and
 * {@code db.xml.gz}, the list of what is there, as Fiji's updater reads it: the file's name, its checksum, its size, and
 * the checksums of earlier versions, by which the updater knows what may be replaced. A site that exists keeps these; the
 * same jar once more changes nothing. With {@code --checksum JAR} only the checksum is printed.
 */
public final class UpdateSite {
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("yyyyMMddHHmmss");
    private static final String LIST = "db.xml.gz";
    /** What the updater shows. */
    private static final String DESCRIPTION = "Panoramas from endoscopic sequences, equalization and registration of"
            + " images, on CPU and GPU";

    private UpdateSite() {
    }

    /** One version of the jar, as the list has it. */
    private static final class Version {
        final String name;
        final String checksum;
        final String timestamp;
        /** When another one took its place; "" as long as none did. */
        final String obsolete;

        Version(String name, String checksum, String timestamp, String obsolete) {
            this.name = name;
            this.checksum = checksum;
            this.timestamp = timestamp;
            this.obsolete = obsolete;
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments.length != 2) {
            System.err.println("usage: java UpdateSite.java JAR SITE | --checksum JAR");
            System.exit(2);
        }
        if (arguments[0].equals("--checksum")) {
            System.out.println(checksum(Paths.get(arguments[1])));
            return;
        }
        publish(Paths.get(arguments[0]), Paths.get(arguments[1]));
    }

    private static void publish(Path jar, Path site) throws Exception {
        String name = "plugins/" + jar.getFileName();
        String checksum = checksum(jar);
        List<Version> versions = read(site.resolve(LIST));
        if (!versions.isEmpty() && versions.get(0).checksum.equals(checksum)) {
            System.err.println("on the site already: " + name + "-" + versions.get(0).timestamp);
            return;
        }
        String timestamp = SECONDS.format(Instant.now().atOffset(ZoneOffset.UTC));
        if (!versions.isEmpty() && versions.get(0).timestamp.compareTo(timestamp) >= 0) {
            throw new IOException("the site has a version of " + versions.get(0).timestamp + ", which is not before "
                    + timestamp + ": is this clock right?");
        }
        versions.removeIf(version -> version.checksum.equals(checksum));
        versions.add(0, new Version(name, checksum, timestamp, ""));
        Path target = site.resolve(name + "-" + timestamp);
        Files.createDirectories(target.getParent());
        Files.copy(jar, target, StandardCopyOption.REPLACE_EXISTING);
        write(versions, Files.size(jar), site.resolve(LIST));
    }

    // ------------------------------------------------------------ checksum

    /**
     * SHA-1 over the entries by name: each name and what is in it. Of the manifest only the name counts, of properties
     * no comments, so that the same sources give the same checksum.
     */
    private static String checksum(Path file) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-1");
        try (JarFile jar = new JarFile(file.toFile())) {
            List<JarEntry> entries = Collections.list(jar.entries());
            entries.sort(Comparator.comparing(JarEntry::getName));
            for (JarEntry entry : entries) {
                digest.update(entry.getName().getBytes(StandardCharsets.US_ASCII));
                digest.update(content(jar, entry));
            }
        }
        StringBuilder text = new StringBuilder();
        for (byte one : digest.digest()) {
            text.append(String.format("%02x", one));
        }
        return text.toString();
    }

    private static byte[] content(JarFile jar, JarEntry entry) throws IOException {
        if (entry.getName().equals("META-INF/MANIFEST.MF")) {
            return new byte[0];
        }
        try (InputStream in = jar.getInputStream(entry)) {
            byte[] all = in.readAllBytes();
            return entry.getName().endsWith(".properties") ? withoutComments(all) : all;
        }
    }

    /** A comment leaves its line's end. After an empty line the updater takes # for a letter. */
    private static byte[] withoutComments(byte[] text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        boolean first = true;
        for (int i = 0; i < text.length; i++) {
            if (first && text[i] == '#') {
                while (i < text.length && text[i] != '\n') {
                    i++;
                }
                if (i < text.length) {
                    out.write('\n');
                }
                continue;
            }
            out.write(text[i]);
            first = !first && text[i] == '\n';
        }
        return out.toByteArray();
    }

    // ---------------------------------------------------------------- list

    /** The newest first; none where there is no list. */
    private static List<Version> read(Path list) throws Exception {
        List<Version> versions = new ArrayList<>();
        if (!Files.exists(list)) {
            return versions;
        }
        try (InputStream in = new GZIPInputStream(Files.newInputStream(list))) {
            Element root = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in).getDocumentElement();
            NodeList plugins = root.getElementsByTagName("plugin");
            if (plugins.getLength() > 1) {
                throw new IOException(list + ": has other files, too; upload with Fiji's updater");
            }
            if (plugins.getLength() == 1) {
                Element plugin = (Element) plugins.item(0);
                add(plugin.getElementsByTagName("version"), plugin.getAttribute("filename"), versions);
                add(plugin.getElementsByTagName("previous-version"), plugin.getAttribute("filename"), versions);
            }
        }
        return versions;
    }

    private static void add(NodeList elements, String name, List<Version> versions) {
        for (int i = 0; i < elements.getLength(); i++) {
            Element element = (Element) elements.item(i);
            String own = element.getAttribute("filename");
            versions.add(new Version(own.isEmpty() ? name : own, element.getAttribute("checksum"),
                    element.getAttribute("timestamp"), element.getAttribute("timestamp-obsolete")));
        }
    }

    /** Whole or not at all: users may be reading it. */
    private static void write(List<Version> versions, long bytes, Path list) throws IOException {
        Version newest = versions.get(0);
        StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<pluginRecords>\n");
        xml.append("<plugin filename=\"" + newest.name + "\">\n");
        xml.append("<version checksum=\"" + newest.checksum + "\" timestamp=\"" + newest.timestamp + "\" filesize=\""
                + bytes + "\"><description>" + DESCRIPTION + "</description></version>\n");
        for (Version version : versions.subList(1, versions.size())) {
            String obsolete = version.obsolete.isEmpty() ? newest.timestamp : version.obsolete;
            xml.append("<previous-version filename=\"" + version.name + "\" timestamp=\"" + version.timestamp
                    + "\" timestamp-obsolete=\"" + obsolete + "\" checksum=\"" + version.checksum + "\"/>\n");
        }
        xml.append("</plugin>\n</pluginRecords>\n");
        File part = new File(list + ".part");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(part.toPath()))) {
            out.write(xml.toString().getBytes(StandardCharsets.UTF_8));
        }
        Files.move(part.toPath(), list, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
