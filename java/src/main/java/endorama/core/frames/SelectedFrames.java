package endorama.core.frames;

/** Equally spaced frames of another sequence, renumbered; labels give the original numbers. */
final class SelectedFrames extends ForwardingFrames {
    private final int first;
    private final int step;
    private final int count;

    SelectedFrames(FrameSource source, int first, int step, int count) {
        super(source);
        this.first = first;
        this.step = step;
        this.count = count;
    }

    @Override
    public int count() {
        return count;
    }

    @Override
    public String label(int index) {
        String label = source.label(first + index * step);
        return label == null || label.isEmpty() ? (first + index * step + 1) + " of the sequence" : label;
    }

    @Override
    public Object pixels(int index) throws FrameReadException {
        return source.pixels(first + index * step);
    }

    @Override
    public boolean isAtHand(int index) {
        return source.isAtHand(first + index * step);
    }

    @Override
    public void giveBack(int index, Object pixels) {
        source.giveBack(first + index * step, pixels);
    }

    @Override
    public FrameSource origin() {
        return source.origin();
    }

    @Override
    public void expect(int[] frames) {
        int[] there = new int[frames.length];
        for (int i = 0; i < frames.length; i++) {
            there[i] = first + frames[i] * step;
        }
        source.expect(there);
    }
}
