package endorama.core.zarr;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonPrimitive;
import endorama.core.files.TextFile;
import endorama.core.frames.FrameReadException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** An object of a metadata file, which is not trusted: errors name the file, the key, the value and what is allowed. */
final class ZarrJson {
    private static final long LONGEST = 1 << 24;

    private final Path file;
    private final String place;
    private final JsonObject object;

    private ZarrJson(Path file, String place, JsonObject object) {
        this.file = file;
        this.place = place;
        this.object = object;
    }

    static ZarrJson read(Path file) throws FrameReadException {
        try {
            if (!Files.isRegularFile(file)) {
                throw new FrameReadException(file + ": " + (Files.exists(file) ? "not a file" : "no such file"));
            }
            if (Files.size(file) > LONGEST) {
                throw new FrameReadException(file + ": " + Files.size(file) + " bytes of metadata; at most " + LONGEST
                        + " are read");
            }
            JsonObject object = new Gson().fromJson(String.join("\n", TextFile.lines(file.toFile())), JsonObject.class);
            if (object == null) {
                throw new FrameReadException(file + ": is empty");
            }
            return new ZarrJson(file, "", object);
        } catch (JsonParseException | ClassCastException | StackOverflowError e) {
            throw new FrameReadException(file + ": no JSON: " + (e instanceof RuntimeException
                    ? TextFile.jsonProblem((RuntimeException) e) : "nested too deeply"), e);
        } catch (FrameReadException e) {
            throw e;
        } catch (IOException e) {
            throw FrameReadException.because(file.toString(), e);
        }
    }

    Path file() {
        return file;
    }

    boolean has(String key) {
        JsonElement value = object.get(key);
        return value != null && !value.isJsonNull();
    }

    /** The error of a value; allowed: what it must be. */
    FrameReadException wrong(String key, String allowed) {
        JsonElement value = object.get(key);
        return new FrameReadException(file + ": " + place + key + " is " + (value == null ? "missing"
                : TextFile.excerpt(value.toString())) + "; must be " + allowed);
    }

    ZarrJson object(String key) throws FrameReadException {
        if (!has(key) || !object.get(key).isJsonObject()) {
            throw wrong(key, "an object");
        }
        return new ZarrJson(file, place + key + ".", object.getAsJsonObject(key));
    }

    /** The objects of a list; at least one. */
    List<ZarrJson> objects(String key) throws FrameReadException {
        List<ZarrJson> all = new ArrayList<ZarrJson>();
        if (has(key) && object.get(key).isJsonArray()) {
            for (JsonElement one : object.getAsJsonArray(key)) {
                if (!one.isJsonObject()) {
                    throw wrong(key, "a list of objects");
                }
                all.add(new ZarrJson(file, place + key + "[" + all.size() + "].", one.getAsJsonObject()));
            }
        }
        if (all.isEmpty()) {
            throw wrong(key, "a list of objects");
        }
        return all;
    }

    /** A text; allowed: all that it may be, or none for any. */
    String text(String key, String... allowed) throws FrameReadException {
        JsonElement value = object.get(key);
        String text = value != null && value.isJsonPrimitive() ? value.getAsString() : null;
        if (text == null || allowed.length > 0 && !Arrays.asList(allowed).contains(text)) {
            throw wrong(key, allowed.length == 0 ? "a text" : "one of " + String.join(", ", allowed));
        }
        return text;
    }

    /** A key of each object of a list, "" where there is none; the texts themselves of a list of texts. */
    List<String> names(String list, String key) throws FrameReadException {
        List<String> names = new ArrayList<String>();
        if (!has(list) || !object.get(list).isJsonArray()) {
            throw wrong(list, "a list");
        }
        for (JsonElement one : object.getAsJsonArray(list)) {
            JsonElement name = one.isJsonObject() ? one.getAsJsonObject().get(key) : one;
            names.add(name != null && name.isJsonPrimitive() ? name.getAsString() : "");
        }
        return names;
    }

    /** Whole numbers from 1. */
    long[] sizes(String key) throws FrameReadException {
        double[] numbers = numbers(key);
        long[] sizes = new long[numbers.length];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = (long) numbers[i];
            if (sizes[i] < 1 || sizes[i] != numbers[i] || numbers[i] > 1e15) {
                throw wrong(key, "whole numbers from 1 to 1e15");
            }
        }
        return sizes;
    }

    double[] numbers(String key) throws FrameReadException {
        if (!has(key) || !object.get(key).isJsonArray()) {
            throw wrong(key, "a list of numbers");
        }
        List<Double> numbers = new ArrayList<Double>();
        for (JsonElement one : object.getAsJsonArray(key)) {
            numbers.add(number(one));
        }
        if (numbers.contains(null)) {
            throw wrong(key, "a list of numbers");
        }
        return numbers.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** A whole number of a range; otherwise: where the key is missing or null. */
    int whole(String key, int otherwise, int most) throws FrameReadException {
        Double number = has(key) ? number(object.get(key)) : Double.valueOf(otherwise);
        if (number == null || number != Math.rint(number) || number < 0 || number > most) {
            throw wrong(key, "a whole number, 0.." + most);
        }
        return number.intValue();
    }

    private static Double number(JsonElement value) {
        try {
            boolean is = value.isJsonPrimitive() && ((JsonPrimitive) value).isNumber();
            return is ? Double.valueOf(value.getAsDouble()) : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
