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
            Shared.method(), Shared.initial(), Shared.template(), Shared.cross(), Shared.landmarks(), Shared.cthresh(),
            Shared.uthresh(), Shared.guarantee(), Shared.warp(), Shared.peak(),
            Shared.solve(), Shared.lens(),
            Shared.blending(), Shared.instruments(), Shared.relief(), Shared.light(), Shared.interpolation(), Shared.scale(),
            Shared.extra(), Shared.ngff(), Shared.iir(),
            Shared.rim(), Shared.field(), Shared.highlights(), Shared.enhance(), Shared.pattern(), Shared.outlines(),
            Shared.curve(), Shared.maxCanvas(), Shared.backend(), Shared.devices(), Shared.threads(),
            Shared.framesBesideOthers(), Shared.exclude(), Shared.links(),
            Shared.savedTransforms(),
            Shared.savedTable(), Shared.savedRois(), Shared.savedOverlay(), Shared.savedFilm(), Shared.savedZarr(),
            Shared.savedReport());

    public static final OptionTable LIVE = new OptionTable("live", "Live Mosaic...",
            "Registers frames when they come, shows the growing panorama, and makes the final one at the end.",
            Shared.warp(), Shared.blending(), Shared.field(), Shared.highlights(),
            Option.number("Seconds until the end (0: until Finish)", 0, 0, 86400).unit("s")
                    .when("In a macro, which presses no button.")
                    .help("Ends by itself so long after the first frame; 0: until it is told to, or no more frames come."),
            Option.number("Step between kept frames", 3, 0.1, 50).unit("%")
                    .registration().shown("Move after which a frame is kept")
                    .when("The memory ends in a long run: larger.")
                    .help("A frame is kept for the panorama at the end where its middle or a corner has moved by this share of"
                            + " its longer side since the last kept one; the first ones at less."),
            Option.integer("View side", 480, 64, 4096).unit("px")
                    .registration().shown("Size of a frame in the growing panorama")
                    .when("The growing panorama is too coarse: larger; the processor is slow: smaller.")
                    .help("Longer side of a frame in the growing panorama; frames are never enlarged."),
            Option.flagOn("Loops closed on the way")
                    .registration().shown("Close loops on the way")
                    .help("The growing panorama closes its loops while frames come; the final one always does."),
            Shared.lens(), Shared.pattern(),
            Shared.instruments(), Shared.relief(), Shared.light(), Shared.interpolation(), Shared.scale(),
            Shared.extra(), Shared.ngff(), Shared.rim(), Shared.outlines(), Shared.maxCanvas(),
            Shared.backend(), Shared.devices(), Shared.threads(),
            Shared.savedTransforms(), Shared.savedTable(), Shared.savedRois(), Shared.savedOverlay(), Shared.savedFilm(),
            Shared.savedZarr(), Shared.savedReport());

    public static final OptionTable MEND = new OptionTable("mend", "Mend Panorama...",
            "Opens a window in which pairs of frames are looked at, moved by hand, refined, left out or added.",
            Option.file("Pairs file").shown("Pairs (a file of register; empty: registers now)")
                    .help("What ./endorama register wrote of these frames; without it they are registered with the usual options."),
            Option.file("Links file").shown("Links (read if it is there; Save writes it)")
                    .help("The table of links (CSV): read if there is such a file, and written by Save; without it Save asks."));

    public static final OptionTable QUALITY = new OptionTable("quality", "Mosaic Quality...",
            "Measures how well saved transforms fit a sequence.",
            Option.file("Transforms file").required().help("The transforms to judge: CSV, JSON, positions, landmarks, or in ImageJ the title of an open table."),
            Option.integer("Distance", 1, 1, 1000).unit("frames")
                    .help("Each frame is compared with the one this many before it."),
            Shared.frames(), Shared.savedLens(), Shared.field(), Shared.pattern(), Shared.backend(), Shared.threads(),
            Option.file("Table file").output().shown("Save table as").help("Where to save the table of pairs (CSV)."));

    public static final OptionTable SWEEP = new OptionTable("sweep", "Mosaic Parameter Sweep...",
            "Repeats the registration over ranges of options: quality, time and coefficients of each.",
            Option.text("Ranges", "template=15-47:2 cthresh=0.70-0.90:0.05 landmarks=6-10").required()
                    .help("Options to vary, each as key=from-to, key=from-to:step or key=a,b,c."),
            Shared.method(), Shared.initial(), Shared.template(), Shared.cross(), Shared.landmarks(), Shared.cthresh(),
            Shared.uthresh(), Shared.guarantee(), Shared.warp(), Shared.peak(),
            Shared.knownLens(), Shared.iir(), Shared.field(), Shared.highlights(), Shared.enhance(), Shared.pattern(),
            Shared.frames(), Shared.backend(), Shared.threads(),
            Option.file("Table file").output().shown("Save table as").help("Where to save the table (CSV)."));

    public static final OptionTable APPLY = new OptionTable("apply", "Apply Transforms...",
            "Paints or aligns another sequence with saved transforms; no motion is looked for.",
            Option.file("Transforms file").required().help("The transforms to apply: CSV, JSON, positions, landmarks, or in ImageJ the title of an open table."),
            Option.choice("Mode", "Panorama", "Aligned stack")
                    .help("One picture, or a stack of aligned frames."),
            Shared.extent(), Shared.savedLens(), Shared.blending(), Shared.relief(), Shared.light(), Shared.interpolation(),
            Shared.scale(), Shared.extra(), Shared.rim(), Shared.field(), Shared.maxCanvas(), Shared.mainFrames(),
            Shared.backend(), Shared.threads());

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
                    .help("Aligned frames in the size of a frame, none, or the part that all of them show."),
            Shared.frames(), Shared.backend(), Shared.threads(),
            Shared.savedTransforms(),
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
                    .help("Frames aligned with the reference, in its size; each in green over its reference in magenta;"
                            + " or none."),
            Shared.frames(), Shared.backend(), Shared.threads(),
            Shared.savedTransforms(),
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
            Shared.backend(), Shared.threads(),
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
            Shared.backend(), Shared.threads());

    public static final OptionTable VIDEO = new OptionTable("video", "Open Video...",
            "Opens a video as a virtual stack, whose frames are decoded when they are asked for.",
            Option.file("Video file").required().help("The video: mp4, mov, avi, mkv and what else ffmpeg reads."),
            Shared.mainFrames());

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
            Arrays.asList(MOSAIC, LIVE, MEND, QUALITY, SWEEP, APPLY, EXPOSURES, FOURIER, MUTUAL, AHE, VIDEO, DEMO, INFO));
}
