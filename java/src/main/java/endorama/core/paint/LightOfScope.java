package endorama.core.paint;

import endorama.jni.NativeLight;
import java.util.Locale;

/** The light of a scope, as a run found it and took it out. */
public final class LightOfScope {
    private final NativeLight.Result found;

    private LightOfScope(NativeLight.Result found) {
        this.found = found;
    }

    /** Null for what was not looked for, or not found in time. */
    public static LightOfScope of(Light light) {
        return light == null || !light.isSolved() ? null : new LightOfScope(light.result());
    }

    static LightOfScope of(NativeLight.Result result) {
        return new LightOfScope(result);
    }

    /** How it falls off is known; else it stays, and only the frames' gains are evened. */
    public boolean isKnown() {
        return found.found;
    }

    /** Brightness at the rim of the field, 0..1 of the brightest place; 1 if it is not known. */
    public double rim() {
        return found.rim;
    }

    /** Standard deviation of the frames' gains, 0.1 for a tenth. */
    public double flicker() {
        return found.flicker;
    }

    /** Column of the brightest place, px of a frame. */
    public double x() {
        return found.x;
    }

    /** Row of the brightest place, px of a frame. */
    public double y() {
        return found.y;
    }

    /** Mean brightness, 0..1, at equal steps from the brightest place to the farthest pixel of the field. */
    public double[] curve() {
        return found.curve();
    }

    /** For people: "falls off to 58 % at the rim; gains vary by 8.0 %, of colours by 0.3 %". */
    @Override
    public String toString() {
        String fall = found.found ? String.format(Locale.ROOT, "falls off to %.0f %% at the rim", 100 * found.rim)
                : "fall-off not known, and left: the frames move too little against each other";
        return fall + String.format(Locale.ROOT, "; gains vary by %.1f %%, of colours by %.1f %%", 100 * found.flicker,
                100 * found.colour);
    }
}
