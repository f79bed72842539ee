package endorama.report;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.Locale;
import javax.imageio.ImageIO;

/** Text of an HTML page; what comes from users is escaped. */
final class Html {
    private final StringBuilder text = new StringBuilder();

    /** Appends markup with the values in the places of %s, each escaped but another Html. */
    Html add(String markup, Object... values) {
        Object[] safe = new Object[values.length];
        for (int i = 0; i < values.length; i++) {
            safe[i] = values[i] instanceof Html ? values[i] : escape(String.valueOf(values[i]));
        }
        text.append(String.format(Locale.ROOT, markup, safe)).append('\n');
        return this;
    }

    /** Text as it shows in a page; also inside of quotes. Characters that no page may hold become question marks. */
    static String escape(String text) {
        StringBuilder safe = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&': safe.append("&amp;"); break;
                case '<': safe.append("&lt;"); break;
                case '>': safe.append("&gt;"); break;
                case '"': safe.append("&quot;"); break;
                case '\'': safe.append("&#39;"); break;
                default: safe.append(c < ' ' && c != '\n' && c != '\t' || c == 0xfffe || c == 0xffff ? '?' : c);
            }
        }
        return safe.toString();
    }

    /** A number for a drawing, in tenths. */
    static String tenths(double number) {
        return String.format(Locale.ROOT, "%.1f", number);
    }

    /** A picture as the address of itself, so that the page needs no other file. */
    static String address(BufferedImage picture) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        if (!ImageIO.write(picture, "jpg", bytes)) {
            throw new IOException("this Java writes no JPEG of this kind");
        }
        return "data:image/jpeg;base64," + Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
