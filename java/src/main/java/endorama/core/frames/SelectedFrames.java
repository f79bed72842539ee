package endorama.core.frames;

/** Some of the frames of another sequence, which keep their numbers. */
final class SelectedFrames extends ForwardingFrames {
    /** Index of each frame in the other sequence, ascending. */
    private final int[] chosen;
    private final int[] excluded;

    /** @param excluded numbers of the frames that were left out by hand */
    SelectedFrames(FrameSource source, int[] chosen, int[] excluded) {
        super(source);
        this.chosen = chosen;
        this.excluded = excluded;
    }

    @Override
    public int count() {
        return chosen.length;
    }

    @Override
    public String label(int index) {
        return source.label(chosen[index]);
    }

    @Override
    public int number(int index) {
        return source.number(chosen[index]);
    }

    @Override
    public int[] excluded() {
        return excluded.clone();
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        return source.pixels(chosen[index]);
    }

    @Override
    public boolean isAtHand(int index) {
        return source.isAtHand(chosen[index]);
    }

    @Override
    public void giveBack(int index, Object pixels) {
        source.giveBack(chosen[index], pixels);
    }

    @Override
    public FrameSource origin() {
        return source.origin();
    }

    @Override
    public void expect(int[] frames) {
        int[] there = new int[frames.length];
        for (int i = 0; i < frames.length; i++) {
            there[i] = chosen[frames[i]];
        }
        source.expect(there);
    }
}
