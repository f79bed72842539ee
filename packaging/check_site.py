#!/usr/bin/env python3
"""Is an update site what Fiji's updater expects? Reckons the checksums anew, by another program than made them.

check_site.py SITE [OLDER]: the list names the one jar that is newest, its size and checksum; of the jars OLDER (files) the
checksums stand as previous versions. The exit code is 0 if so."""
import gzip
import hashlib
import os
import sys
import xml.etree.ElementTree as xml
import zipfile


def checksum(path):
    digest = hashlib.sha1()
    with zipfile.ZipFile(path) as jar:
        for name in sorted(jar.namelist()):
            digest.update(name.encode("ascii"))
            if name.endswith(".properties"):
                raise SystemExit(f"{path}: {name}: whose comments do not count; teach this program")
            if name != "META-INF/MANIFEST.MF":
                digest.update(jar.read(name))
    return digest.hexdigest()


def expect(what, found, wanted):
    if found != wanted:
        raise SystemExit(f"{what}: {found}, not {wanted}")


def main(site, older):
    with gzip.open(os.path.join(site, "db.xml.gz")) as stream:
        plugins = xml.parse(stream).getroot().findall("plugin")
    expect("plugins", len(plugins), 1)
    plugin, version = plugins[0], plugins[0].find("version")
    name = plugin.get("filename") + "-" + version.get("timestamp")
    jar = os.path.join(site, name)
    expect("length of the timestamp", len(version.get("timestamp")), 14)
    expect(name + ": size", int(version.get("filesize")), os.path.getsize(jar))
    expect(name + ": checksum", version.get("checksum"), checksum(jar))
    previous = {one.get("checksum"): one for one in plugin.findall("previous-version")}
    expect("previous versions", sorted(previous), sorted(checksum(path) for path in older))
    for one in previous.values():
        expect("is older", one.get("timestamp") < version.get("timestamp"), True)
    print(f"{name}: {version.get('checksum')}, {len(previous)} older")


main(sys.argv[1], sys.argv[2:])
