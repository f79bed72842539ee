package endorama.core.options;

/** The options of a mosaic, and those shared by several commands. */
final class Shared {
    private Shared() {
    }

    static Option initial() {
        return Option.choice("Initial motion", "Optical flow", "None", "Exposures", "Fourier")
                .registration().shown("First guess of the motion")
                .when("Method Paper loses frames where the scope turns or moves far: Fourier; where the brightness jumps: Exposures.")
                .help("Where the search of each landmark starts: the global motion by optical flow, no motion, the"
                        + " shift that Align Exposures finds, or what Register Rotation and Scale finds"
                        + " (without highlights).");
    }

    static Option template() {
        return Option.integer("Template side (0: by size)", 0, 0, 255).oddFrom(3).unit("px")
                .registration().shown("Size of the templates (0: by frame size)")
                .when("Frames have few landmarks with method Paper: larger.")
                .help("Side of the square template; 0 chooses by frame width: 15 up to 400, 31 up to 800, else 45.");
    }

    static Option cross() {
        return Option.integer("Cross offset", 4, 1, 128).powerOfTwo().unit("px")
                .registration().shown("First step of the search")
                .when("Frames jump with method Paper where the scope moves fast: larger.")
                .help("First offset of the logarithmic search.");
    }

    static Option landmarks() {
        return Option.integer("Landmarks per side", 8, 2, 64)
                .registration().shown("Landmarks along each side")
                .when("Little of the frame has texture, with method Paper: more.")
                .help("Landmarks along each side of the grid: 8 gives 64.");
    }

    static Option cthresh() {
        return Option.number("Cthresh coefficient", 0.85, -1, 1)
                .registration().shown("Least likeness of a landmark")
                .when("Few landmarks with method Paper: lower.")
                .help("A landmark counts if its correlation coefficient is at least this.");
    }

    static Option uthresh() {
        return Option.number("Uthresh distance", 2.5, 0, 1000).aboveMin().unit("px")
                .registration().shown("Largest error of a landmark")
                .help("A landmark is dropped if it lies further than this from the fit.");
    }

    static Option guarantee() {
        return Option.number("Guarantee share", 0.2, 0, 1)
                .registration().shown("Share of landmarks kept in any case")
                .help("Share of the landmarks that is kept in any case.");
    }

    static Option method() {
        return Option.choice("Method", "Best", "Paper")
                .registration().shown("Method of registration")
                .when("To compare with the publication: Paper.")
                .help("Refined on every pixel of the overlap and judged by them, or landmarks alone as first published.");
    }

    static Option warp() {
        return Option.choice("Warp model", "Auto", "Homography", "Affine", "Similarity", "Rigid",
                        "Translation")
                .shown("Motion of the scope")
                .when("The panorama bends or shrinks slowly: Rigid or Translation, if the scope only turns or slides;"
                        + " Homography, if it tilts over a plane.")
                .help("Motion model between two frames. Auto: the simplest that explains them, and homographies where all"
                        + " pairs together see a tilted plane (method Paper: Affine). Homography: always (method Best"
                        + " only).");
    }

    static Option peak() {
        return Option.choice("Peak", "Sub-pixel", "Integer")
                .registration().shown("Exactness of a landmark")
                .help("Motion of a landmark to fractions of a pixel, or in whole pixels as first published.");
    }

    static Option solve() {
        return Option.choice("Solve", "Global", "None")
                .registration().shown("Close loops")
                .when("To see the chain of frames alone: None.")
                .help("Frames are also registered with others that show the same, and the poses of all follow from all"
                        + " pairs; or each follows from the one before it alone.");
    }

    private static final String DISTORTION = "how much too far from the middle it shows what it shows at half of the longer"
            + " side; of a barrel, too near, below 0.";

    static Option lens() {
        return Option.wordOrDecimal("Lens distortion", -40, 40, "Auto").unit("%").registration()
                .shown("Distortion of the lens (Auto, or a number; 0: none)")
                .when("Straight edges stay curved in the panorama: what the log says. The frames are to stay as they are: 0.")
                .help("Distortion of the lens, which is taken out of frames: " + DISTORTION + " Auto: what the frames show for"
                        + " sure as they move; they are then registered again.");
    }

    /** The lens option of commands that do not look for one. */
    static Option knownLens() {
        return lens("0: none").registration()
                .help("Distortion of the lens, which is taken out of frames: " + DISTORTION);
    }

    /** The lens option of commands with known transforms. */
    static Option savedLens() {
        return lens("0: as saved").help("Distortion of the lens that is taken out of frames; 0: what the transforms were found"
                + " with.");
    }

    private static Option.Builder lens(String zero) {
        return Option.number("Lens distortion", 0, -40, 40).unit("%").shown("Distortion of the lens (" + zero + ")");
    }

    static Option blending() {
        return Option.choice("Painting", "Blend", "Union", "Ring")
                .shown("Where frames overlap")
                .when("To see each frame as it is: Union.")
                .help("All frames together without seams; or each frame over the earlier ones; or only where nothing is"
                        + " painted yet.");
    }

    static Option light() {
        return Option.choice("Light", "Even", "None")
                .picture().shown("Light of the scope")
                .when("Brightness is to be measured in the panorama: None.")
                .help("Fall-off towards the rim and flicker are found in the overlaps and taken out (painting Blend only).");
    }

    static Option instruments() {
        return Option.choice("Instruments", "Leave out", "Keep")
                .picture().shown("Instruments, hands")
                .when("What moves before the scene is to be seen in the panorama: Keep.")
                .help("Parts of frames that move before the scene are painted only where no frame shows the scene (painting"
                        + " Blend only).");
    }

    static Option relief() {
        return Option.choice("Relief", "Auto", "None")
                .picture().shown("Scenes in depth")
                .when("Frames are to be painted as their transforms say and no other way: None.")
                .help("Frames are displaced by a few pixels, smoothly, so that they agree where the scene is in depth and"
                        + " pairs that are held out show that it helps (painting Blend only).");
    }

    static Option interpolation() {
        return Option.choice("Interpolation", "Cubic", "Linear")
                .picture().shown("Between pixels")
                .help("How frames are resampled (painting Blend only).");
    }

    static Option scale() {
        return Option.number("Scale of the panorama", 1, 0.25, 4)
                .picture()
                .help("Pixels of the panorama along one of the first frame (painting Blend only).");
    }

    static Option extra() {
        return Option.choice("Extra pictures", "None", "Coverage", "Uncertainty", "Both")
                .picture().shown("Pictures beside the panorama")
                .when("To know where the panorama can be relied on: Both.")
                .help("How many frames show each pixel, and how well its position is known (painting Blend only).");
    }

    static Option ngff() {
        return Option.choice("Ngff version", "0.4", "0.5")
                .picture().shown("Version of OME-Zarr")
                .when("Other software reads only the newer one, or very many files are a burden: 0.5.")
                .help("Of a panorama that is written as .ome.zarr: 0.4 on Zarr 2, which most software reads, or 0.5 on Zarr 3, in"
                        + " fewer and larger files.");
    }

    static Option curve() {
        return Option.flag("Curve of the light")
                .picture().shown("Plot the light of the scope")
                .help("Plot how the light falls off from its brightest point.");
    }

    static Option extent() {
        return Option.choice("Extent of the aligned stack", "Frame", "All")
                .help("Aligned stack: in the size of a frame, or so large that nothing of any frame is cut off.");
    }

    static Option iir() {
        return Option.integer("IIR smoothing", 4, 0, 255).unit("px")
                .registration().shown("Smoothing before optical flow")
                .help("Width of the recursive smoothing subtracted before optical flow; 0 for none.");
    }

    static Option rim() {
        return Option.integer("Rim", 8, 0, 1000).unit("px")
                .picture().shown("Margin left out of each frame")
                .when("Dark rims of single frames show: larger.")
                .help("Half of it, rounded down, is left out of the painting along every edge of the field of view: 8, 4 pixels.");
    }

    static Option field() {
        return Option.choice("Field of view", "Auto", "Selection", "Whole")
                .shown("Part of the frame that shows the scene")
                .when("What the endoscope shows is not found: draw it and take Selection.")
                .help("Find what the endoscope shows, take the selection, or use all pixels.");
    }

    static Option highlights() {
        return Option.flag("Highlights left out")
                .shown("Leave bright reflections out of the matching")
                .when("Reflections stand still while the scene moves, or leave ghosts.")
                .help("Leave specular pixels out of the matching.");
    }

    static Option enhance() {
        return Option.flag("Enhance for matching")
                .registration().shown("Equalize the contrast for matching")
                .when("Large parts are dark, with method Paper.")
                .help("Match on equalized frames, paint the originals: for uneven light.");
    }

    static Option pattern() {
        return Option.choice("Pattern of the sensor", "Auto", "None")
                .registration().shown("Dust, fibres and pixels that stand still")
                .help("What stands still while the scene moves (pixels, fibres, dust) is found and taken out for matching.");
    }

    static Option frames() {
        return frames(chosenFrames().registration());
    }

    /** The frames option of a command that has more to say of frames. */
    static Option framesBesideOthers() {
        return frames(chosenFrames().ofFrames());
    }

    /** The frames option of commands without registration. */
    static Option mainFrames() {
        return frames(chosenFrames());
    }

    private static Option.Builder chosenFrames() {
        return Option.text("Frames (first-last:step)", "").shown("Frames (such as 1-10,100-900:2; empty: all)");
    }

    private static Option frames(Option.Builder builder) {
        return builder.help("Those of the sequence that are taken, such as 100-900:2 or 1-10,15-20;"
                + " empty for all. They keep their numbers.");
    }

    static Option exclude() {
        return Option.text("Exclude frames", "").ofFrames().shown("Frames to leave out (such as 53,85-86)")
                .when("A frame shows nothing of the scene, or spoils the panorama: its number.")
                .help("Frames that are left out as if they were not there, such as 53,85-86. The others keep their numbers.");
    }

    static Option links() {
        return Option.file("Links table").ofFrames().shown("Mended links")
                .when("Frames lie wrong: the table that register writes, with links switched off or added by hand.")
                .help("A table of links (CSV) that counts in the place of what is registered: rows with use 0 do not count,"
                        + " rows by hand do.");
    }

    static Option savedTransforms() {
        return Option.file("Transforms file").output().shown("Save transforms as")
                .help("Where to save the transforms (CSV, or by its name JSON, TileConfiguration.txt, landmarks).");
    }

    static Option savedTable() {
        return Option.file("Table file").output().shown("Save table as").help("Where to save the frame table (CSV).");
    }

    static Option savedRois() {
        return Option.file("Rois file").output(".zip").picture().shown("Save ROIs as")
                .help("Where to save the path and the outlines of the frames as ROIs (.zip).");
    }

    static Option savedOverlay() {
        return Option.file("Overlay file").output(".png").picture().shown("Save overlay as")
                .help("Where to save the panorama with path and outlines drawn (.png).");
    }

    static Option savedFilm() {
        return Option.file("Film file").output(".avi").picture().shown("Save film as")
                .help("Where to save a short film of the growing panorama (.avi).");
    }

    static Option savedZarr() {
        return Option.file("Zarr file").output(".ome.zarr").picture().shown("Save panorama as OME-Zarr")
                .when("The panorama is large, or goes to other software in tiles.")
                .help("Where to save the panorama as OME-Zarr, a folder (.ome.zarr).");
    }

    static Option savedReport() {
        return Option.file("Report file").output(".html").picture().shown("Save report as")
                .when("To see whether the panorama can be used, and which frames to look at.")
                .help("Where to save a page for any browser that says how the run went, with pictures (.html).");
    }

    static Option outlines() {
        return Option.flag("Outlines of frames")
                .picture().shown("Draw the outline of every frame")
                .help("Draw the outline of every frame in the overlay.");
    }

    static Option maxCanvas() {
        return Option.integer("Max_canvas", 1000, 1, 4000).unit("megapixels")
                .picture().shown("Largest panorama")
                .help("The panorama may not grow beyond this.");
    }

    static Option backend() {
        return Option.choice("Backend", "Auto", "CPU", "CUDA")
                .computing().shown("Computed by")
                .help("What computes; Auto takes the GPU where it is faster for the job, else the CPU.");
    }

    static Option devices() {
        return Option.text("Devices", "")
                .computing().shown("Numbers of the GPUs (empty: the first)")
                .help("Numbers of the CUDA devices, such as 0,1; empty for the first.");
    }

    static Option threads() {
        return Option.integer("Threads (0: all)", 0, 0, 256)
                .computing().shown("Threads (0: all)")
                .help("CPU threads; 0 uses ImageJ's setting, or all processors.");
    }
}
