// Two views of one scene, of different sizes, the second one turned and magnified, and how they lie on one another
// before and after they are registered. Argument: the folder for the results.
//   ./endorama macro macros/rotation.ijm results
// docs/images/rotation.jpg is made so.
folder = getArgument();
if (folder == "") exit("give a folder for the results");
File.makeDirectory(folder);
if (!File.isDirectory(folder)) exit("cannot make the folder " + folder);
folder = folder + File.separator;
setBatchMode(true);

run("Endoscopic Demo Sequence...", "width=1024 height=768 frames=2 path=Sweep step=12 rotation=0 zoom=0");
scene = getImageID();
first = view("first", 1, 0, 1, 280, 240);
second = view("second", 2, 37, 1.4, 256, 224);

selectImage(second);
run("Register Rotation and Scale...", "onto=first output=Overlay transforms=[" + folder + "transforms.csv] table=["
    + folder + "table.csv]");
after = getImageID();

// Side by side: both views, one over the other as they are, and registered.
newImage("rotation", "RGB white", 4 * 224 + 3 * 4, 192, 1);
picture = getImageID();
put(first, 0);
put(second, 228);
put(before(), 456);
put(after, 684);
selectImage(picture);
saveAs("Jpeg", folder + "rotation.jpg");

// The middle of a frame, turned and magnified.
function view(name, slice, angle, scale, width, height) {
    selectImage(scene);
    setSlice(slice);
    run("Duplicate...", "title=whole");
    run("Rotate... ", "angle=" + angle + " grid=1 interpolation=Bilinear");
    run("Scale...", "x=" + scale + " y=" + scale + " interpolation=Bilinear create title=" + name);
    makeRectangle((getWidth() - width) / 2, (getHeight() - height) / 2, width, height);
    run("Crop");
    return getImageID();
}

// The first in magenta, the second in green.
function before() {
    selectImage(second);
    run("Duplicate...", "title=green");
    run("8-bit");
    run("Canvas Size...", "width=280 height=240 position=Top-Left zero");
    selectImage(first);
    run("Duplicate...", "title=magenta");
    run("8-bit");
    run("Merge Channels...", "c1=magenta c2=green c3=magenta keep");
    return getImageID();
}

function put(image, x) {
    selectImage(image);
    makeRectangle((getWidth() - 224) / 2, (getHeight() - 192) / 2, 224, 192);
    run("Copy");
    run("Select None");
    selectImage(picture);
    makeRectangle(x, 0, 224, 192);
    run("Paste");
    run("Select None");
}
