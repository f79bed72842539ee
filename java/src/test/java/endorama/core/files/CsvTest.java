package endorama.core.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Cells of a CSV line read back as written, whatever their content. */
class CsvTest {
    @Test
    void cellsComeBackAsTheyWere() {
        List<String> odd = Arrays.asList("a\nb", " c ", "d\"e\"", "f,g", "", "\u5185", "h\r\ni");
        List<String> plain = Arrays.asList("1", "2", "3", "4", "5", "6", "7");
        StringBuilder text = new StringBuilder();
        Csv.line(text, odd);
        Csv.line(text, plain);
        assertEquals(Arrays.asList(odd, plain), Csv.rows(text.toString()));
    }

    @Test
    void emptyLinesAndEndsOfOtherSystemsAreNoRows() {
        assertEquals(Arrays.asList(Arrays.asList("a", "b"), Arrays.asList("c", "d")), Csv.rows("a,b\r\n\r\n\nc,d"));
        assertEquals(Collections.emptyList(), Csv.rows(""));
    }

    @Test
    void aLineHasNoBlanksAroundItsCells() {
        assertEquals(Arrays.asList("a", "b\"c", "", "d,e"), Csv.split(" a , \"b\"\"c\",, \"d,e\" "));
        assertEquals(Collections.singletonList(""), Csv.split(""));
        assertEquals(Arrays.asList("a", "b,c"), Csv.split("a,\"b,c"));
    }
}
