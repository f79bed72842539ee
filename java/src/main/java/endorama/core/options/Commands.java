package endorama.core.options;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** The option table of every command. Keys are final: users' macros depend on them. */
public final class Commands {
    private Commands() {
    }

    public static final OptionTable MOSAIC = new OptionTable("mosaic", "Mosaic Endoscopic Sequence...",
            "Registers the frames of a sequence and paints them into one panorama.",
            method(), initial(), template(), cross(), landmarks(), cthresh(), uthresh(), guarantee(), warp(), peak(),
            solve(), lens(),
            blending(), light(), interpolation(), scale(), extra(), iir(), rim(), field(), highlights(), enhance(), pattern(), outlines(), curve(), maxCanvas(), backend(), devices(), threads(),
            frames(),
            savedTransforms(),
            Option.file("Table file").output().shown("Save table as").help("Where to save the frame table (CSV)."),
            Option.file("Rois file").output(".zip").picture().shown("Save ROIs as")
                    .help("Where to save the path and the outlines of the frames as ROIs (.zip)."),
            Option.file("Overlay file").output(".png").picture().shown("Save overlay as")
                    .help("Where to save the panorama with path and outlines drawn (.png)."),
            Option.file("Film file").output(".avi").picture().shown("Save film as")
                    .help("Where to save a short film of the growing panorama (.avi)."));

    public static final OptionTable QUALITY = new OptionTable("quality", "Mosaic Quality...",
            "Measures how well saved transforms fit a sequence.",
            Option.file("Transforms file").required().help("The transforms to judge: CSV, JSON, positions, landmarks, or in ImageJ the title of an open table."),
            Option.integer("Distance", 1, 1, 1000).unit("frames")
                    .help("Each frame is compared with the one this many before it."),
            frames(), savedLens(), field(), pattern(), backend(), threads(),
            Option.file("Table file").output().shown("Save table as").help("Where to save the table of pairs (CSV)."));

    public static final OptionTable SWEEP = new OptionTable("sweep", "Mosaic Parameter Sweep...",
            "Repeats the registration over ranges of options: quality, time and coefficients of each.",
            Option.text("Ranges", "template=15-47:2 cthresh=0.70-0.90:0.05 landmarks=6-10").required()
                    .help("Options to vary, each as key=from-to, key=from-to:step or key=a,b,c."),
            method(), initial(), template(), cross(), landmarks(), cthresh(), uthresh(), guarantee(), warp(), peak(),
            lens(), iir(), field(), highlights(), enhance(), pattern(), frames(), backend(), threads(),
            Option.file("Table file").output().shown("Save table as").help("Where to save the table (CSV)."));

    public static final OptionTable APPLY = new OptionTable("apply", "Apply Transforms...",
            "Paints or aligns another sequence with saved transforms; no motion is looked for.",
            Option.file("Transforms file").required().help("The transforms to apply: CSV, JSON, positions, landmarks, or in ImageJ the title of an open table."),
            Option.choice("Mode", "Panorama", "Aligned stack")
                    .help("One picture, or a stack in which every frame lies in its place."),
            extent(), savedLens(), blending(), light(), interpolation(), scale(), extra(), rim(), field(), maxCanvas(), mainFrames(), backend(), threads());

    public static final OptionTable EXPOSURES = new OptionTable("exposures", "Align Exposures...",
            "Aligns differently exposed images of one scene, or the frames of an exposure-bracketed video.",
            Option.integer("Search range", 64, 1, 512).unit("px").help("Shifts that are tried, each way."),
            Option.integer("Tolerance", 4, 0, 127).unit("grey levels")
                    .help("Pixels this close to the threshold take no part."),
            Option.choice("Bins of the histogram", "64", "256")
                    .registration().shown("Bins of the histogram")
                    .help("Steps in which the threshold is looked for."),
            Option.wordOrNumber("Reference (Previous, First, Middle, or a number)", 1, 1000000, "Previous", "First", "Middle")
                    .help("What each frame is compared with: the one before it, or one frame of the stack."),
            Option.integer("Period of exposures (0: one bracket)", 0, 0, 1000).unit("frames")
                    .help("Video: exposures in a bracket, for the motion model; 0 is a single bracket."),
            Option.flag("Kalman filter").help("Video: check shifts against the motion of the frames before, and put"
                    + " the prediction in place of an uncertain one."),
            Option.flag("Subpixel shifts").help("Shifts to fractions of a pixel; frames are then interpolated."),
            Option.choice("Percentile of the threshold", "Adaptive", "Median")
                    .registration().shown("Threshold between dark and bright")
                    .help("The share of black that leaves most usable pixels in both images, or half."),
            Option.choice("Output", "Aligned stack", "Transforms only", "Crop to common")
                    .help("Frames in their places in the size of a frame, none, or the part that all of them show."),
            frames(), backend(), threads(),
            savedTransforms(),
            Option.file("Table file").output().shown("Save table as").help("Where to save the table of shifts (CSV)."));

    public static final OptionTable FOURIER = new OptionTable("fourier", "Register Rotation and Scale...",
            "Registers the frames of a stack with one another, or onto another image: rotation, scale and translation.",
            Option.image("Onto image").help("Another open image, of any size, that every frame is registered onto;"
                    + " without it frames are registered with one another."),
            Option.wordOrNumber("Reference (Previous, First, Middle, or a number)", 1, 1000000, "Previous", "First", "Middle")
                    .help("What each frame is compared with: the one before it, or one frame of the stack."),
            Option.choice("Model", "Similarity", "Rigid", "Translation")
                    .help("Rotation, scale and translation; without scale; or translation alone."),
            Option.number("Scale limit", 4, 1, 8)
                    .help("Largest change of scale, each way: 4 finds a quarter to fourfold."),
            Option.number("Angle limit", 180, 0, 180).unit("degrees").help("Largest rotation, each way."),
            Option.choice("Window", "Tukey", "Hann", "None")
                    .registration().shown("Fading at the borders")
                    .help("How images fade out at their borders before the Fourier transform."),
            Option.choice("Gradient", "Sobel", "High-pass", "None")
                    .registration().shown("Spectra of")
                    .help("What the spectra are taken of: edges, details, or grey values."),
            Option.flagOn("Refine on the intensities")
                    .help("Least squares on the pixels at the end: more exact than the peaks of the spectra."),
            Option.integer("Candidates", 5, 1, 16)
                    .registration().shown("Candidates that are tried")
                    .help("Peaks of rotation and scale that are tried; the one under which the images agree best is"
                            + " taken."),
            Option.choice("Output", "Aligned stack", "Overlay", "Transforms only")
                    .help("Frames in the place and size of the reference; each in green over its reference in magenta;"
                            + " or none."),
            frames(), backend(), threads(),
            savedTransforms(),
            Option.file("Table file").output().shown("Save table as").help("Where to save the table of results (CSV)."));

    public static final OptionTable MUTUAL = new OptionTable("mutual", "Register by Mutual Information...",
            "Registers an image or a volume onto another one, also of another modality, resolution and size.",
            Option.image("Fixed image").needed(Option.Need.ALWAYS).help("The open image that the current one is registered onto, and in"
                    + " whose grid it is resampled."),
            Option.choice("Dimensions", "Auto", "2D", "3D")
                    .help("Stacks as volumes, or slice by slice onto the slice of the same number; Auto: volumes where"
                            + " both have several slices."),
            Option.choice("Model", "Rigid", "Translation", "Similarity", "Affine")
                    .help("Rotation and translation; translation alone; with one scale; with scales and shears."),
            Option.wordOrNumber("Bins (Auto, or a number)", 16, 256, "Auto")
                    .registration().shown("Bins of the histogram (Auto, or a number)")
                    .help("Of each image in the joint histogram; Auto is 64, the published method takes 240."),
            Option.choice("Measure", "MI", "NMI")
                    .registration().shown("Likeness")
                    .help("Mutual information, or the normalized one."),
            Option.choice("Interpolation", "Linear", "Nearest")
                    .help("Between voxels of the moving image, in the search and in the result."),
            Option.choice("Optimizer", "Powell", "Gradient")
                    .registration().shown("Search by")
                    .help("Powell's directions with Brent's search along each, or Newton's steps."),
            Option.integer("Levels (0: by size)", 0, 0, 8)
                    .registration().shown("Levels of the pyramid (0: by size)")
                    .help("Of the pyramid, the full size among them."),
            Option.wordOrNumber("Starts (Auto, Wide, or a number)", 1, 4096, "Auto", "Wide")
                    .registration().shown("Turns and shifts tried first (Auto, Wide, or a number)")
                    .help("Turns and shifts that are tried first: Auto as many as 15 degrees and an eighth of the volume"
                            + " take, Wide 30 degrees and a third; 1 is the initial transform alone."),
            Option.image("Mask image").needed(Option.Need.NEVER).help("An open image of the fixed one's size: only voxels where it is"
                    + " above 0 are compared. Without it a selection in the fixed image counts."),
            Option.wordOrFile("Initial transform (Header, Centre, Moments, Fourier, or a file)", "Header", "Centre",
                    "Moments", "Fourier").help("Where the search starts: as the headers say (the centres where one has no"
                    + " position), the centres, the centres of brightness, what Register Rotation and Scale finds (2D), or a"
                    + " saved transform (.json, .tfm, .csv)."),
            Option.choice("Samples", "All")
                    .registration().shown("Voxels compared")
                    .help("Voxels that are compared: all of them."),
            Option.choice("Output", "Registered", "Overlay", "Transforms only")
                    .help("The moving image in the grid of the fixed one; a picture of the middle slices of both; or"
                            + " neither."),
            backend(), threads(),
            Option.file("Transforms file").output(".json").shown("Save transforms as").help("Where to save the transform: .json (voxels and mm), .tfm (ITK,"
                    + " 3D Slicer), or .csv (2D)."),
            Option.file("Table file").output().shown("Save table as").help("Where to save the table of results (CSV)."));

    public static final OptionTable AHE = OptionTable.filter("ahe", "Adaptive Equalization...",
            "Equalizes the contrast around every pixel: details in dark and in bright parts show.",
            Option.integer("Window side", 63, 3, 1023).odd().slider(255).unit("px")
                    .help("Side of the square window around each pixel; it may exceed the image."),
            Option.number("Limit of the contrast (0: none)", 3, 1, 1000).aboveMin().orZero().slider(20)
                    .help("Largest gain of contrast: small ones leave noise alone; 0 for none."),
            Option.choice("Method", "Sliding window", "Global")
                    .help("A histogram around each pixel, or one for all of the image or selection."),
            Option.choice("Field of view", "Auto", "Whole")
                    .shown("Part of the image that is equalized")
                    .help("The circle that an endoscope shows, if there is one, what is around it stays; or all pixels."
                            + " A selection goes before."),
            backend(), threads());

    public static final OptionTable VIDEO = new OptionTable("video", "Open Video...",
            "Opens a video as a virtual stack, whose frames are decoded when they are asked for.",
            Option.file("Video file").required().help("The video: mp4, mov, avi, mkv and what else ffmpeg reads."),
            mainFrames());

    public static final OptionTable DEMO = new OptionTable("demo-sequence", "Endoscopic Demo Sequence...",
            "Makes a synthetic endoscopic sequence whose true motion is known.",
            Option.integer("Width", 720, 64, 4096).unit("px").help("Width of a frame."),
            Option.integer("Height", 576, 64, 4096).unit("px").help("Height of a frame."),
            Option.integer("Frames", 60, 2, 100000).help("Number of frames."),
            Option.choice("Path of the camera", "Loop", "Sweep", "Spiral")
                    .help("A closed curve, rows to and fro, or a spiral."),
            Option.number("Step", 6, 0, 64).unit("px").help("Mean motion from frame to frame."),
            Option.number("Rotation", 10, 0, 180).unit("degrees").help("Amplitude of the slow roll."),
            Option.number("Zoom", 8, 0, 50).unit("%").help("Amplitude of the slow change of scale."),
            Option.number("Noise", 2, 0, 64).unit("grey levels").help("Standard deviation of the noise."),
            Option.number("Flicker", 3, 0, 50).unit("%").help("Changes of brightness from frame to frame."),
            Option.integer("Highlights", 12, 0, 1000).help("Specular highlights, which move with the scope."),
            Option.integer("Seed", 1, 0, 999999999).help("The same seed gives the same pixels."),
            Option.file("Truth file").output().shown("Save truth as").help("Where to save the true transforms (CSV)."));

    public static final OptionTable INFO = new OptionTable("info", "Endorama Info...",
            "Versions, native library, processors and devices.");

    public static final List<OptionTable> ALL = Collections.unmodifiableList(
            Arrays.asList(MOSAIC, QUALITY, SWEEP, APPLY, EXPOSURES, FOURIER, MUTUAL, AHE, VIDEO, DEMO, INFO));

    private static Option initial() {
        return Option.choice("Initial motion", "Optical flow", "None", "Exposures", "Fourier")
                .registration().shown("First guess of the motion")
                .when("Method Paper loses frames where the scope turns or moves far: Fourier; where the brightness jumps: Exposures.")
                .help("Where the search of each landmark starts: the global motion by optical flow, no motion, the"
                        + " shift that Align Exposures finds, or what Register Rotation and Scale finds"
                        + " (without highlights).");
    }

    private static Option template() {
        return Option.integer("Template side (0: by size)", 0, 0, 255).oddFrom(3).unit("px")
                .registration().shown("Size of the templates (0: by frame size)")
                .when("Frames have few landmarks with method Paper: larger.")
                .help("Side of the square template; 0 chooses by frame width: 15 up to 400, 31 up to 800, else 45.");
    }

    private static Option cross() {
        return Option.integer("Cross offset", 4, 1, 128).powerOfTwo().unit("px")
                .registration().shown("First step of the search")
                .when("Frames jump with method Paper where the scope moves fast: larger.")
                .help("First offset of the logarithmic search.");
    }

    private static Option landmarks() {
        return Option.integer("Landmarks per side", 8, 2, 64)
                .registration().shown("Landmarks along each side")
                .when("Little of the frame has texture, with method Paper: more.")
                .help("Landmarks along each side of the grid: 8 gives 64.");
    }

    private static Option cthresh() {
        return Option.number("Cthresh coefficient", 0.85, -1, 1)
                .registration().shown("Least likeness of a landmark")
                .when("Few landmarks with method Paper: lower.")
                .help("A landmark counts if its correlation coefficient is at least this.");
    }

    private static Option uthresh() {
        return Option.number("Uthresh distance", 2.5, 0, 1000).aboveMin().unit("px")
                .registration().shown("Largest error of a landmark")
                .help("A landmark is dropped if it lies further than this from the fit.");
    }

    private static Option guarantee() {
        return Option.number("Guarantee share", 0.2, 0, 1)
                .registration().shown("Share of landmarks kept in any case")
                .help("Share of the landmarks that is kept in any case.");
    }

    private static Option method() {
        return Option.choice("Method", "Best", "Paper")
                .registration().shown("Method of registration")
                .when("To compare with the publication: Paper.")
                .help("Refined on every pixel of the overlap and judged by them, or landmarks alone as first published.");
    }

    private static Option warp() {
        return Option.choice("Warp model", "Auto", "Homography", "Affine", "Similarity", "Rigid",
                        "Translation")
                .shown("Motion of the scope")
                .when("The panorama bends or shrinks slowly: Rigid or Translation, if the scope only turns or slides;"
                        + " Homography, if it tilts over a plane.")
                .help("Motion model between two frames. Auto: the simplest that explains them, and homographies where all"
                        + " pairs together see a plane aslant (method Paper: Affine). Homography: always (method Best"
                        + " only).");
    }

    private static Option peak() {
        return Option.choice("Peak", "Sub-pixel", "Integer")
                .registration().shown("Exactness of a landmark")
                .help("Motion of a landmark to fractions of a pixel, or in whole pixels as first published.");
    }

    private static Option solve() {
        return Option.choice("Solve", "Global", "None")
                .registration().shown("Close loops")
                .when("To see the chain of frames alone: None.")
                .help("Frames are also registered with others that show the same, and the places of all follow from all"
                        + " pairs; or each follows from the one before it alone.");
    }

    private static Option lens() {
        return lens("0: none").registration()
                .when("Straight edges bend in the frames, or the log says that frames are bent: what it says.")
                .help("Distortion of the lens, which is taken out of frames: how much too far from the middle it shows what it"
                        + " shows at half of the longer side; of a barrel, too near, below 0.");
    }

    /** Of frames whose transforms are known. */
    private static Option savedLens() {
        return lens("0: as saved").help("Distortion of the lens that is taken out of frames; 0: what the transforms were found"
                + " with.");
    }

    private static Option.Builder lens(String zero) {
        return Option.number("Lens distortion", 0, -40, 40).unit("%").shown("Distortion of the lens (" + zero + ")");
    }

    private static Option blending() {
        return Option.choice("Painting", "Blend", "Union", "Ring")
                .shown("Where frames overlap")
                .when("To see each frame as it is: Union.")
                .help("All frames together without seams; or each frame over the earlier ones; or only where nothing is"
                        + " painted yet.");
    }

    private static Option light() {
        return Option.choice("Light", "Even", "None")
                .picture().shown("Light of the scope")
                .when("Brightness is to be measured in the panorama: None.")
                .help("Fall-off towards the rim and flicker are found in the overlaps and taken out (painting Blend only).");
    }

    private static Option interpolation() {
        return Option.choice("Interpolation", "Cubic", "Linear")
                .picture().shown("Between pixels")
                .help("How frames are resampled (painting Blend only).");
    }

    private static Option scale() {
        return Option.number("Scale of the panorama", 1, 0.25, 4)
                .picture()
                .help("Pixels of the panorama along one of the first frame (painting Blend only).");
    }

    private static Option extra() {
        return Option.choice("Extra pictures", "None", "Coverage", "Uncertainty", "Both")
                .picture().shown("Pictures beside the panorama")
                .when("To know where the panorama can be relied on: Both.")
                .help("How many frames show each pixel, and how well its place is known (painting Blend only).");
    }

    private static Option curve() {
        return Option.flag("Curve of the light")
                .picture().shown("Plot the light of the scope")
                .help("Plot how the light falls off from its brightest place.");
    }

    private static Option extent() {
        return Option.choice("Extent of the aligned stack", "Frame", "All")
                .help("Aligned stack: in the size of a frame, or so large that nothing of any frame is cut off.");
    }

    private static Option iir() {
        return Option.integer("IIR smoothing", 4, 0, 255).unit("px")
                .registration().shown("Smoothing before optical flow")
                .help("Width of the recursive smoothing subtracted before optical flow; 0 for none.");
    }

    private static Option rim() {
        return Option.integer("Rim", 8, 0, 1000).unit("px")
                .picture().shown("Margin left out of each frame")
                .when("Dark rims of single frames show: larger.")
                .help("Half of it, rounded down, is left out of the painting along every edge of the field of view: 8, 4 pixels.");
    }

    private static Option field() {
        return Option.choice("Field of view", "Auto", "Selection", "Whole")
                .shown("Part of the frame that shows the scene")
                .when("What the endoscope shows is not found: draw it and take Selection.")
                .help("Find what the endoscope shows, take the selection, or use all pixels.");
    }

    private static Option highlights() {
        return Option.flag("Highlights left out")
                .shown("Leave bright reflections out of the matching")
                .when("Reflections stand still while the scene moves, or leave ghosts.")
                .help("Leave specular pixels out of the matching.");
    }

    private static Option enhance() {
        return Option.flag("Enhance for matching")
                .registration().shown("Equalize the contrast for matching")
                .when("Large parts are dark, with method Paper.")
                .help("Match on equalized frames, paint the originals: for uneven light.");
    }

    private static Option pattern() {
        return Option.choice("Pattern of the sensor", "Auto", "None")
                .registration().shown("Dust, fibres and pixels that stand still")
                .help("What stands still while the scene moves (pixels, fibres, dust) is found and taken out for matching.");
    }

    private static Option frames() {
        return frames(chosenFrames().registration());
    }

    /** Where nothing is registered. */
    private static Option mainFrames() {
        return frames(chosenFrames());
    }

    private static Option.Builder chosenFrames() {
        return Option.text("Frames (first-last:step)", "").shown("Frames (such as 100-900:2; empty: all)");
    }

    private static Option frames(Option.Builder builder) {
        return builder.help("Those of the sequence that are taken, such as 100-900:2;"
                + " empty for all. They are numbered anew from 1.");
    }

    private static Option savedTransforms() {
        return Option.file("Transforms file").output().shown("Save transforms as")
                .help("Where to save the transforms (CSV, or by its name JSON, TileConfiguration.txt, landmarks).");
    }

    private static Option outlines() {
        return Option.flag("Outlines of frames")
                .picture().shown("Draw the outline of every frame")
                .help("Draw the outline of every frame in the overlay.");
    }

    private static Option maxCanvas() {
        return Option.integer("Max_canvas", 1000, 1, 4000).unit("megapixels")
                .picture().shown("Largest panorama")
                .help("The panorama may not grow beyond this.");
    }

    private static Option backend() {
        return Option.choice("Backend", "Auto", "CPU", "CUDA")
                .computing().shown("Computed by")
                .help("What computes; Auto takes the GPU where it is faster for the job, else the CPU.");
    }

    private static Option devices() {
        return Option.text("Devices", "")
                .computing().shown("Numbers of the GPUs (empty: the first)")
                .help("Numbers of the CUDA devices, such as 0,1; empty for the first.");
    }

    private static Option threads() {
        return Option.integer("Threads (0: all)", 0, 0, 256)
                .computing().shown("Threads (0: all)")
                .help("CPU threads; 0 uses ImageJ's setting, or all processors.");
    }
}
