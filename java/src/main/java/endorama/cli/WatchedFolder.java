package endorama.cli;

import endorama.core.frames.FrameReadException;
import endorama.core.live.FrameStream;
import endorama.core.live.LiveFrame;
import endorama.core.live.StreamException;
import java.io.File;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The images of a folder in the order of their names, those that come while it is watched among them. An image is taken when it
 * has not changed for a moment and can be decoded; one that cannot be after two seconds without a change is left out. A file
 * named END ends the frames, and so does a folder that cannot be listed for two seconds, which is a failure.
 */
final class WatchedFolder implements FrameStream {
    /** Name of the file after which nothing comes. */
    static final String END = "END";
    private static final long LOOK_MS = 20;
    private static final long SETTLED_MS = 40;
    private static final long GIVE_UP_NS = 2000000000L;

    private final File folder;
    private final Set<String> taken = new HashSet<String>();
    private final Map<String, State> waiting = new HashMap<String, State>();
    /** Since when the folder cannot be listed, ns; 0: it can. */
    private long missing;

    /** A file that was seen, as it was, and since when it has not changed. */
    private static final class State {
        long length;
        long modified;
        long since;
    }

    /** @throws FrameReadException if it is no folder that can be read */
    WatchedFolder(File folder) throws FrameReadException {
        this.folder = folder;
        if (folder.list() == null) {
            throw new FrameReadException(folder + (folder.exists() ? ": no folder that can be read" : ": no such folder"));
        }
    }

    @Override
    public LiveFrame next() throws FrameReadException {
        while (!Thread.currentThread().isInterrupted()) {
            // Asked before the files, so that those which were there before it are seen.
            boolean ended = new File(folder, END).exists();
            File file = first();
            if (file == null && ended) {
                return null;
            }
            LiveFrame frame = file == null ? null : whole(file);
            if (frame != null) {
                return frame;
            }
            try {
                Thread.sleep(LOOK_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        return null;
    }

    /** The first file in the order of names that was not taken; null: there is none. */
    private File first() throws StreamException {
        String[] names = folder.list((dir, name) -> ImageFolder.isImage(name) && !taken.contains(name));
        long now = System.nanoTime();
        if (names != null) {
            missing = 0;
        } else if (missing == 0) {
            missing = now;
        } else if (now - missing > GIVE_UP_NS) {
            throw new StreamException("the folder is no longer there, or cannot be read any more");
        }
        if (names == null || names.length == 0) {
            return null;
        }
        return new File(folder, Arrays.stream(names).min(ImageFolder::compare).get());
    }

    /** The frame of a file; null: it is still being written. */
    private LiveFrame whole(File file) throws FrameReadException {
        State state = waiting.computeIfAbsent(file.getName(), name -> new State());
        long now = System.nanoTime();
        if (state.since == 0 || file.length() != state.length || file.lastModified() != state.modified) {
            state.length = file.length();
            state.modified = file.lastModified();
            state.since = now;
        }
        // By the clock of the disk, so that images which have piled up are taken at once; by our own, should that be ahead.
        if (System.currentTimeMillis() - state.modified < SETTLED_MS && now - state.since < SETTLED_MS * 1000000) {
            return null;
        }
        try {
            Image image = ImageFiles.read(file);
            take(file);
            return new LiveFrame(image.width, image.height, image.type, file.getName(), now) {
                @Override
                public Object pixels() {
                    return image.pixels;
                }
            };
        } catch (FrameReadException e) {
            if (now - state.since < GIVE_UP_NS) {
                return null;
            }
            take(file);
            throw e;
        }
    }

    private void take(File file) {
        taken.add(file.getName());
        waiting.remove(file.getName());
    }

    @Override
    public void close() {
    }
}
