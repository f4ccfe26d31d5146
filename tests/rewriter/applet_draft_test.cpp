// SPDX-License-Identifier: Apache-2.0
// What `jcprof init` finds of applets: which, their sources, AIDs, jars and commands.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "rewriter/draft/applet_build.hpp"
#include "rewriter/draft/applet_commands.hpp"
#include "rewriter/draft/jar.hpp"
#include "src/core/error.hpp"
#include "tests/rewriter/draft_trees.hpp"

namespace jcprof::rewriter {
namespace {

using Strings = std::vector<std::string>;

constexpr const char* applet = R"(package com.example.pin;
import javacard.framework.*;
public class Pin extends Applet {
    private static final byte PIN_CLA = (byte) 0xB0;
    static final byte INS_VERIFY = (byte) 0x20, INS_SIGN = 0x2a;
    static final byte INSIDE = 1;
    static final short INS_TABLE = OTHER;
    public static void install(byte[] b, short o, byte l) { new Pin().register(); }
    public void process(APDU apdu) { INS_VERIFY(); }
}
)";

TEST_CASE("an applet with jCardSim at hand gets a project file that says all that is needed to measure it") {
  FoundTree tree = tree_of(
      {{"build.xml",
        R"(<cap aid="0102030405"><applet class="com.example.pin.Pin" aid="A0:00:00:00:62:01"/></cap>)"},
       {"lib/api_classic.jar", "javacard/framework/APDU"},
       {"lib/jcardsim-3.jar", simulator_classes},
       {"src/com/example/pin/Pin.java", applet},
       {"src/com/example/pin/Helper.java", "package com.example.pin; class Helper {}"},
       {"test/Other.java",
        "class Other extends javacard.framework.Applet { public void process(APDU apdu) {} }"}});
  CHECK(
      draft_project(tree).text ==
      R"(// Written by jcprof init from what it found here, and yours to change. docs/project-file.md explains every key.
{
  "format": "jcprof-project", "version": 1,
  "name": "sample",
  "target": "applet",
  // What the applet is made of. Traps go into a copy of these files.
  "sources": ["src/com/example/pin/*.java"],
  // What the card calls for each command.
  // Other applets here, for jcprof init --entry NAME:
  //   Other.process (test/Other.java)
  "entry": "Pin.process",
  // Where traps stand: globs over functions and files; at each statement, or coarser: "block", "function".
  "profile": {"include": ["*"], "exclude": [], "level": "statement"},
  // The class path that traps are tried against by compiling.
  "compile": {"classpath": ["{project}/lib/jcardsim-3.jar"]},
  // How the copy with traps, {tree}, is built.
  "build": [
    {"run": ["javac", "--release", "8", "-encoding", "UTF-8", "-nowarn", "-Xlint:-options", "-cp",
             "{project}/lib/jcardsim-3.jar", "-sourcepath", "src", "-d", "{out}/classes", "src/com/example/pin/Pin.java"]}
  ],
  // jCardSim as a virtual card, which connects to {port}. For a real card: no "start", "transport": "pcsc:", a
  // "build" that makes the CAP file, and an "install" that loads it; then "once" is not needed.
  "start": {"run": ["java", "-XX:TieredStopAtLevel=1", "-Dcom.licel.jcardsim.vsmartcard.host=127.0.0.1",
                    "-Dcom.licel.jcardsim.vsmartcard.port={port}", "-Dcom.licel.jcardsim.card.applet.0.AID=A00000006201",
                    "-Dcom.licel.jcardsim.card.applet.0.Class=com.example.pin.Pin", "-cp",
                    "{project}/lib/jcardsim-3.jar:{out}/classes", "com.licel.jcardsim.remote.VSmartCard", "/dev/null"]},
  "transport": "vpcd:",
  "device": "jcardsim",
  "session": {
    // The AID is that of "build.xml".
    "once": ["80B8000009 06 A00000006201 000000"],  // install
    "after_reset": ["00A4040006 A00000006201"]  // SELECT
  },
  // The command under study: CLA INS P1 P2, then data.
  //   20 INS_VERIFY  (may count tries: add "counts_tries": true)
  //   2A INS_SIGN
  "trigger": {"apdu": "B02A0000"},
  // With data, here four bytes: "trigger": {"apdu": "B02A0000 {input}"}, "inputs": {"fixed": "31323334"},
  // Until each share is known to so many points, or for so long; a simulator is a noisy target.
  "measure": {"absolute": 1, "max_time": "1m"}
}
)");
  CHECK(drafted(tree).entry == std::vector<std::string>{"Pin.process"});
}

TEST_CASE("an applet without a simulator is measured on a card, after its own build") {
  const Project project = drafted(tree_of(
      {{"build.gradle",
        "javacard { cap { aid = '0102030405'\n applet { className = 'Pin'\n aid = '01:02:03:04:05:06' } } }"},
       {"Pin.java", "class Pin extends Applet { public void process(APDU apdu) {} }"}}));
  CHECK(project.transport == "pcsc:");
  CHECK(runs_of(project.build) == Runs{{"gradle", "-p", "{tree}", "build"}});
  CHECK(project.session.after_reset == Script{ApduStep{.apdu = "00A4040006 010203040506"}});
  CHECK(project.trigger.apdus == std::vector<std::string>{"80000000"});
  CHECK(project.sources == std::vector<std::string>{"*.java"});
}

CardKit some_kit() {
  return {
      .folder = "/kit", .api = "/kit/lib/api_classic.jar", .exports = "/kit/api_export_files", .release = 7};
}

TEST_CASE("with a Java Card kit an applet of one package is converted and loaded") {
  FoundTree tree = tree_of({{"src/com/example/pin/Pin.java", applet}});
  tree.card_kit = some_kit();
  const Project project = drafted(tree);
  CHECK(project.compile.classpath == Strings{"/kit/lib/api_classic.jar"});
  CHECK(runs_of(project.build) == Runs{{"javac", "--release", "7", "-encoding", "UTF-8", "-nowarn",
                                        "-Xlint:-options", "-cp", "/kit/lib/api_classic.jar", "-sourcepath",
                                        "src", "-d", "{out}/classes", "src/com/example/pin/Pin.java"},
                                       {"java",
                                        "-Djc.home=/kit",
                                        "-cp",
                                        "/kit/lib/*",
                                        "com.sun.javacard.converter.Main",
                                        "-nobanner",
                                        "-exportpath",
                                        "/kit/api_export_files",
                                        "-classdir",
                                        "{out}/classes",
                                        "-applet",
                                        "0xF0:0x6A:0x63:0x70:0x72:0x6F:0x66",
                                        "com.example.pin.Pin",
                                        "-d",
                                        "{out}/cap",
                                        "-out",
                                        "CAP",
                                        "com.example.pin",
                                        "0xF0:0x6A:0x63:0x70:0x72:0x6A:0x63:0x70",
                                        "1.0"}});
  CHECK(runs_of(project.install) ==
        Runs{{"gp", "--force", "--install", "{out}/cap/com/example/pin/javacard/pin.cap"}});
  CHECK(project.transport == "pcsc:");
}

TEST_CASE("a kit of several versions converts for the oldest, and int is asked for where it is used") {
  FoundTree tree = tree_of({{"p/A.java",
                             "package p; class A extends javacard.framework.Applet { int n;\n"
                             "public void process(javacard.framework.APDU apdu) {} }"}});
  tree.card_kit =
      CardKit{.folder = "/kit", .api = "/api.jar", .target = "3.0.4", .loader = {"java", "-jar", "/gp.jar"}};
  const Project project = drafted(tree);
  const Strings& convert = project.build.at(1).run;
  const auto target = std::ranges::find(convert, "-target");
  REQUIRE(target != convert.end());
  CHECK(Strings(target, target + 4) == Strings{"-target", "3.0.4", "-i", "-classdir"});
  CHECK(std::ranges::find(convert, "-exportpath") == convert.end());
  CHECK(project.install.at(0).run ==
        Strings{"java", "-jar", "/gp.jar", "--force", "--install", "{out}/cap/p/javacard/p.cap"});
}

TEST_CASE("an applet of several packages, or with libraries, is not for the draft of a kit") {
  const char* one = "package p; class A extends javacard.framework.Applet {\n";
  const char* entry = "public void process(javacard.framework.APDU apdu) {} }";
  FoundTree several = tree_of(
      {{"p/A.java", std::string(one) + "q.B b; " + entry}, {"q/B.java", "package q; public class B {}"}});
  FoundTree library = tree_of({{"p/A.java", std::string("package p; import org.globalplatform.*;") +
                                                std::string(one).substr(10) + entry}});
  for (FoundTree* tree : {&several, &library}) {
    tree->card_kit = some_kit();
    const Project project = drafted(*tree);
    CHECK(project.build.size() == 1);
    CHECK(project.install.empty());
  }
}

TEST_CASE("beside a simulator, the steps for a card stand as comments") {
  FoundTree tree =
      tree_of({{"lib/jcardsim-3.jar", simulator_classes}, {"src/com/example/pin/Pin.java", applet}});
  CHECK(draft_project(tree).text.find("converter") == std::string::npos);
  tree.card_kit = some_kit();
  const std::string text = draft_project(tree).text;
  CHECK(text.find("\n  // \"install\": [\n  //   {\"run\": [\"gp\", \"--force\"") != std::string::npos);
  CHECK(drafted(tree).build.size() == 1);
  CHECK(drafted(tree).transport == "vpcd:");
}

TEST_CASE("sources that do not lie as their package says are compiled by name, the runtime too") {
  const Project project =
      drafted(tree_of({{"src/Pin.java", applet}, {"src/Two.java", "package com.example.pin; class Two {}"}}));
  CHECK(runs_of(project.build) ==
        Runs{{"javac", "--release", "8", "-encoding", "UTF-8", "-nowarn", "-Xlint:-options", "-d",
              "{out}/classes", "src/Pin.java", "src/Two.java", "src/PM.java", "src/PMC.java"}});
}

TEST_CASE("sources in another encoding than UTF-8 are compiled so that any byte is a character") {
  const Project project = drafted(
      tree_of({{"src/Pin.java", applet}, {"src/Two.java", "package com.example.pin; // gr\xFC\xDF\n"}}));
  CHECK(fmt::format("{}", fmt::join(runs_of(project.build).front(), " ")).find("-encoding ISO-8859-1 ") !=
        std::string::npos);
}

TEST_CASE("an applet is one by all of its superclasses, and the one that others extend is none") {
  const Project project = drafted(
      tree_of({{"src/Base.java", "abstract class Base extends Applet { public void process(APDU apdu) {} }"},
               {"src/Real.java", "class Real extends Base { public void process(APDU apdu) {} }"},
               {"src/Broken.java", "class {"}}));
  CHECK(project.entry == std::vector<std::string>{"Real.process"});
}

TEST_CASE("AIDs are read in the forms that build files and people write") {
  CHECK(normal_aid("A0:00:00:00:62") == "A000000062");
  CHECK(normal_aid("0xa0:0x0:0x0:0x0:0x62:0x1") == "A00000006201");
  CHECK(normal_aid("a0 00 00 00 62") == "A000000062");
  CHECK(normal_aid("A00000006201") == "A00000006201");
  CHECK(normal_aid("A0:00:00:00").empty());
  CHECK(normal_aid("${aid}").empty());
  CHECK(normal_aid("000102030405060708090A0B0C0D0E0F10").empty());
  const Project commented = drafted(
      tree_of({{"A.java",
                "// AID: F0 11 22 33 44 55\nclass A extends Applet { public void process(APDU apdu) {} }"}}));
  CHECK(commented.session.after_reset == Script{ApduStep{.apdu = "00A4040006 F01122334455"}});
}

/// Source of an applet that does nothing.
std::string empty_applet(const std::string& package, const std::string& name) {
  return fmt::format(
      "package {};\nimport javacard.framework.*;\npublic class {} extends Applet {{\n"
      "  public static void install(byte[] b, short o, byte l) {{ new {}().register(); }}\n"
      "  public void process(APDU apdu) {{ }}\n}}\n",
      package, name, name);
}

std::string selected(const FoundTree& tree) {
  return std::get<ApduStep>(drafted(tree).session.after_reset.front()).apdu;
}

Files two_applets(const std::string& build_file, const std::string& text) {
  return {{build_file, text},
          {"src/p/Alpha.java", empty_applet("p", "Alpha")},
          {"src/p/Beta.java", empty_applet("p", "Beta")}};
}

// --- Which applet, and its AID ---

TEST_CASE("of several applets the build file's first is taken, the others are listed and can be chosen") {
  FoundTree tree = tree_of(two_applets("build.xml",
                                       "<project><cap><applet class='p.Beta' aid='B0:00:00:00:01'/>"
                                       "<applet class='p.Alpha' aid='A0:00:00:00:01'/></cap></project>"));
  CHECK(drafted(tree).entry == Strings{"Beta.process"});
  CHECK(draft_project(tree).others == Strings{"Alpha.process (src/p/Alpha.java)"});
  for (const char* wanted : {"Alpha.process", "p.Alpha", "Alpha"}) {
    tree.wanted_entry = wanted;
    CHECK(drafted(tree).entry == Strings{"Alpha.process"});
    CHECK(selected(tree) == "00A4040005 A000000001");
  }
  tree.wanted_entry = "Gamma.process";
  CHECK_THROWS_WITH(draft_project(tree),
                    "\"Gamma.process\" is no applet's entry here\n"
                    "hint: there are Beta.process, Alpha.process");
}

TEST_CASE("ant makes what its default target leads to, and properties are followed") {
  Files files = two_applets("build.xml", R"(<?xml version="1.0"?>
<!-- <applet class="p.Alpha" aid="0102030405"/> -->
<project default="all" basedir=".">
  <property file="aids.properties"/>
  <property name="prefix" value="0x00:0x00"/>
  <property name="beta.aid" value="${vendor}:${prefix}:0x02"/>
  <property name="beta.aid" value="1111111111"/>
  <target name="debug" if="never"><cap><applet class="p.Alpha" aid="0102030405"/></cap></target>
  <target name="caps"><java><arg line="-applet ${beta.aid} ${name}"/><arg line="p 0xA0:0 1.0"/></java></target>
  <target name="all" depends="debug, caps"/>
</project>)");
  files["aids.properties"] = "# of the vendor\nvendor = 0xB0:0x00\nname=Beta\n";
  const FoundTree tree = tree_of(files);
  CHECK(drafted(tree).entry == Strings{"Beta.process"});
  CHECK(selected(tree) == "00A4040005 B000000002");
}

TEST_CASE("ant's imported files and targets that only a name leads to count too") {
  Files files = two_applets("build.xml", "<project default='all'><import file='ant/card.xml'/></project>");
  files["ant/card.xml"] =
      "<project><target name='card'><javacard><cap sources='src\\p'><applet class='p.Beta' "
      "aid='B000000003'/></cap></javacard></target></project>";
  CHECK(selected(tree_of(files)) == "00A4040005 B000000003");
}

TEST_CASE("gradle's variables are followed, comments are none of its applets, patterns are no strings") {
  Files files = two_applets("card/build.gradle", R"(
def vendor = "0xB0:0x00"
final def app = "${vendor}:0x00:0x00"
task show { println it.grep(~/.*"jar:.*/) }
javacard { config {
  // applet { className 'p.Alpha'; aid '0102030405' }
  /* applet { className 'p.Alpha'; aid '0102030405' } */
  cap { packageName 'p'
    applet { className = 'Beta'
      aid = "$app" + ':0x04' }
    applet { className 'p.Alpha'
      aid AlphaID } } } }
)");
  files["gradle.properties"] = "AlphaID=A000000005\n";
  FoundTree tree = tree_of(files);
  CHECK(selected(tree) == "00A4040005 B000000004");
  tree.wanted_entry = "Alpha.process";
  CHECK(selected(tree) == "00A4040005 A000000005");
}

TEST_CASE("gradle in Kotlin, and properties with a value in place of a missing one") {
  const FoundTree tree = tree_of(two_applets("build.gradle.kts", R"(
val prefix by extra("B0000000")
extra["last"] = "06"
javacard { cap { applet { className.set("p.Beta"); aid.set(prefix + extra["last"]) } } }
)"));
  CHECK(drafted(tree).entry == Strings{"Beta.process"});
  const FoundTree missing = tree_of(two_applets(
      "build.gradle",
      "javacard { cap { applet { className 'p.Beta'\n aid findProperty('a') ?: 'B000000007' } } }"));
  CHECK(selected(missing) == "00A4040005 B000000007");
}

TEST_CASE("gradle's arguments of the converter and JCIDE's projects name applets too") {
  CHECK(selected(
            tree_of(two_applets("build.gradle.kts",
                                "val appletAid = \"0xB0:00:00:00:0A\"\nval appletName = \"p.Beta\"\n"
                                "exec { args = listOf(\"-i\", \"-applet\", appletAid, appletName) }\n"))) ==
        "00A4040005 B00000000A");
  CHECK(selected(tree_of(two_applets(
            "Project.jcproj", R"(<JavaCardProject name="P"><USER><PKG name="p" aid="11 22 33 44 55">)"
                              R"(<APPLET aid="B0 00 00 00 0B" instanceaid="" name="Beta"/></PKG></USER>)"
                              "</JavaCardProject>"))) == "00A4040005 B00000000B");
}

TEST_CASE("an applet that knows a command is taken before one that the build names first and knows none") {
  const auto applet_of = [](const std::string& name, const std::string& body) {
    return "public class " + name + " extends javacard.framework.Applet { public void process(APDU a) { " +
           body + " } }";
  };
  const FoundTree tree =
      tree_of({{"build.xml", R"(<cap><applet class="Empty"/><applet class="Full"/></cap>)"},
               {"a/Empty.java", "package a; " + applet_of("Empty", "ISOException.throwIt(0x6D00);")},
               {"b/Full.java", "package b; " + applet_of("Full", "if (ins == 0x10) go();")}});
  CHECK(drafted(tree).entry == Strings{"Full.process"});
  CHECK(draft_project(tree).others == Strings{"Empty.process (a/Empty.java)"});
}

TEST_CASE("Maven's plugins name applets in elements, or have ant do it") {
  const std::string head =
      "<project xmlns='m'><properties><aid.beta>B000000008</aid.beta></properties><build><plugins>";
  CHECK(selected(tree_of(
            two_applets("pom.xml", head + "<plugin><configuration><applets><applet><aid>${aid.beta}</aid>"
                                          "<class>p.Beta</class></applet></applets></configuration></plugin>"
                                          "</plugins></build></project>"))) == "00A4040005 B000000008");
  CHECK(selected(tree_of(two_applets(
            "pom.xml", head + "<plugin><configuration><target><cap><applet class='p.Beta' "
                              "aid='${aid.beta}'/></cap></target></configuration></plugin></plugins></build>"
                              "</project>"))) == "00A4040005 B000000008");
}

TEST_CASE("options of the converter are read in scripts, makefiles and option files, with their variables") {
  for (const auto& [path, text] :
       Files{{"card.opt", "-out CAP\n-applet 0xB0:0x0:0x0:0x0:0x9 p.Beta\np 0xB0:0:0:0 1.0\n"},
             {"build.sh",
              "AID=0xB0:0x0:0x0:0x0:0x9\n# converter -applet 0102030405 p.Alpha\n"
              "converter -out CAP \\\n  -applet $AID p.Beta p 0xB0 1.0\n"},
             {"Makefile", "AID := 0xB0:0x0:0x0:0x0:0x9\nall:\n\tconverter -applet $(AID) p.Beta\n"},
             {"build.bat", "set AID=0xB0:0x0:0x0:0x0:0x9\r\nconverter -applet %AID% p.Beta\r\n"}}) {
    INFO(path);
    CHECK(selected(tree_of(two_applets(path, text))) == "00A4040005 B000000009");
  }
}

TEST_CASE("the build file nearest to the root is followed, and none in a folder of tests before it") {
  Files files = two_applets("card/build.xml", "<project><applet class='p.Beta' aid='B00000000A'/></project>");
  files["tests/build.xml"] = "<project><applet class='p.Alpha' aid='A00000000A'/></project>";
  files["broken.xml"] = "<project><applet class='p.Alpha'";
  CHECK(selected(tree_of(files)) == "00A4040005 B00000000A");
}

TEST_CASE("an applet that inherits its process is installed by its own class") {
  const FoundTree tree =
      tree_of({{"build.xml", "<project><applet class='p.Real' aid='A000000001'/></project>"},
               {"lib/jcardsim-3.jar", simulator_classes},
               {"src/p/Base.java",
                "package p; abstract class Base extends Applet { public void process(APDU apdu) {} }"},
               {"src/p/Real.java",
                "package p; class Real extends Base { static void install(byte[] b, short o, byte l) {} }"},
               {"test/p/Mock.java", "package p; class Mock extends Real { }"}});
  CHECK(drafted(tree).entry == Strings{"Base.process"});
  CHECK_THAT(draft_project(tree).text, Catch::Contains("card.applet.0.Class=p.Real\""));
}

// --- Sources ---

TEST_CASE("files of the package in other folders are sources, a copy for tests is none") {
  const Project project =
      drafted(tree_of({{"src/p/Pin.java",
                        "package p; class Pin extends Applet { public void process(APDU a) { Curve.x(); } }"},
                       {"src/p/curves/Curve.java", "package p; class Curve { static void x() { } }"},
                       {"src/p/curves/Unused.java", "package p; class Unused { }"},
                       {"test/p/Curve.java", "package p; class Curve { static void x() { } }"}}));
  CHECK(project.sources == Strings{"src/p/*.java", "src/p/curves/Curve.java"});
  CHECK(runs_of(project.build).front() == Strings{"javac", "--release", "8", "-encoding", "UTF-8", "-nowarn",
                                                  "-Xlint:-options", "-d", "{out}/classes", "src/p/Pin.java",
                                                  "src/p/curves/Curve.java", "src/p/PM.java",
                                                  "src/p/PMC.java"});
}

TEST_CASE("packages that the applet uses are sources, wherever in the tree they lie") {
  const Project project = drafted(tree_of(
      {{"app/src/p/Pin.java",
        "package p; import lib.math.Big; import lib.io.*; class Pin extends Applet {\n"
        "  public void process(APDU a) { Big.add(); Tlv.get(); lib.more.Deep.get(); } }"},
       {"lib/src/lib/math/Big.java",
        "package lib.math; public class Big { public static void add() { Half.x(); } }"},
       {"lib/src/lib/math/Half.java", "package lib.math; class Half { static void x() { } }"},
       {"lib/src/lib/io/Tlv.java", "package lib.io; public class Tlv { public static void get() { } }"},
       {"lib/src/lib/io/Host.java", "package lib.io; import javax.swing.*; public class Host { }"},
       {"lib/src/lib/more/Deep.java", "package lib.more; public class Deep { public static void get() { } }"},
       {"lib/src/lib/none/Other.java", "package lib.none; public class Other { }"}}));
  CHECK(project.sources == Strings{"app/src/p/*.java", "lib/src/lib/io/Tlv.java", "lib/src/lib/math/*.java",
                                   "lib/src/lib/more/*.java"});
  CHECK_THAT(runs_of(project.build).front(), Catch::VectorContains(std::string("app/src:lib/src")));
}

TEST_CASE("what lies beside an applet and runs on no card is no source") {
  const Project project = drafted(tree_of(
      {{"Pin.java", "class Pin extends Applet { public void process(APDU a) { } }"},
       {"Client.java", "import javax.smartcardio.*; class Client { }"},
       {"Second.java",
        "import javacard.framework.*; class Second extends Applet { public void process(APDU a) { } }"}}));
  CHECK(project.sources == Strings{"Pin.java", "Second.java"});
}

// --- Jars and the simulator ---

const Files kits{{"Pin.java",
                  "import org.globalplatform.*; import javacard.framework.*; import javacard.security.*;\n"
                  "class Pin extends Applet { public void process(APDU apdu) { } }"},
                 {"kit-2.2/api.jar", "javacard/framework/APDU"},
                 {"kit-3.0.5/api_classic.jar", "javacard/framework/APDU javacard/security/Key"},
                 {"kit-3.0.5/tools.jar", "com/sun/converter/Main"},
                 {"gp/gpapi.jar", "org/globalplatform/GPSystem"}};

TEST_CASE("the simulator has the API in it: of the kits only what it lacks is taken") {
  Files files = kits;
  files["libs/jcardsim-2.2.2-all.jar"] = "com/licel/jcardsim/base/Simulator javacard/framework/APDU";
  files["libs/jcardsim-3.0.5.9.jar"] = simulator_classes;
  files["libs/jcardsim-3.0.5.11.jar"] = simulator_classes;
  files["/cache/jcardsim-3.0.6.0.jar"] = simulator_classes;
  CHECK(drafted(tree_of(files)).compile.classpath ==
        Strings{"{project}/libs/jcardsim-3.0.5.11.jar", "{project}/gp/gpapi.jar"});
}

TEST_CASE("without a simulator one kit is taken, the newest") {
  CHECK(drafted(tree_of(kits)).compile.classpath ==
        Strings{"{project}/kit-3.0.5/api_classic.jar", "{project}/gp/gpapi.jar"});
}

TEST_CASE("the jCardSim that the build names is taken before a newer one, and a missing one is said") {
  Files files = two_applets("build.gradle", "dependencies { testCompile 'com.klinec:jcardsim:3.0.5.9' }");
  files["/cache/jcardsim-3.0.5.9.jar"] = simulator_classes;
  files["/cache/jcardsim-3.0.6.0.jar"] = simulator_classes;
  CHECK(drafted(tree_of(files)).compile.classpath == Strings{"/cache/jcardsim-3.0.5.9.jar"});
  files.erase("/cache/jcardsim-3.0.6.0.jar");
  files["build.gradle"] =
      "dependencies { implementation(group: 'com.klinec', name: 'jcardsim', version: '3.0.6.0') }";
  CHECK(drafted(tree_of(files)).compile.classpath == Strings{"/cache/jcardsim-3.0.5.9.jar"});
  CHECK_THAT(draft_project(tree_of(files)).text,
             Catch::Contains("The build names jCardSim 3.0.6.0, which is newer"));
}

TEST_CASE("a jCardSim that serves a port is taken only where it is named, and that is said") {
  Files files = two_applets("build.gradle", "");
  files["/cache/jcardsim-3.0.5.11.jar"] = simulator_classes;
  files["/cache/jcardsim-3.0.6.0.jar"] =
      std::string(simulator_classes) + " com/licel/jcardsim/remote/VSmartCard$ReloadThread";
  CHECK(drafted(tree_of(files)).compile.classpath == Strings{"/cache/jcardsim-3.0.5.11.jar"});
  files["build.gradle"] = "dependencies { jcardsim 'com.klinec:jcardsim:3.0.6.0' }";
  CHECK(drafted(tree_of(files)).compile.classpath == Strings{"/cache/jcardsim-3.0.6.0.jar"});
  CHECK_THAT(draft_project(tree_of(files)).text, Catch::Contains("This version also listens on port 8099"));
}

TEST_CASE("the simulator gets the properties that tests set, and what the sources need") {
  const FoundTree tree = tree_of(
      {{"lib/jcardsim-3.jar", simulator_classes},
       {"src/Pin.java",
        "class Pin extends Applet { public void process(APDU a) { JCSystem.requestObjectDeletion(); } }"},
       {"test/Base.java",
        "class Base { void up() {\n"
        "  // System.setProperty(\"com.licel.jcardsim.randomdata.seed\", \"02\");\n"
        "  System.setProperty(\"com.licel.jcardsim.sign.x\", \"1\");\n"
        "  System.setProperty(\"com.licel.jcardsim.terminal.type\", \"2\"); } }"},
       {"test/jcardsim.cfg", "com.licel.jcardsim.card.applet.0.AID=0102030405\ncom.licel.jcardsim.cfg.y=2\n"},
       {"build.xml", "<project><junit><jvmarg value='-Dcom.licel.jcardsim.ant.z=3'/></junit></project>"}});
  const Strings run = drafted(tree).start->run;
  Strings properties;
  std::ranges::copy_if(run, std::back_inserter(properties), [](const std::string& word) {
    return word.starts_with("-Dcom.licel.jcardsim.") && word.find(".card.") == std::string::npos &&
           word.find(".vsmartcard.") == std::string::npos;
  });
  CHECK(properties == Strings{"-Dcom.licel.jcardsim.ant.z=3", "-Dcom.licel.jcardsim.cfg.y=2",
                              "-Dcom.licel.jcardsim.object_deletion_supported=1",
                              "-Dcom.licel.jcardsim.sign.x=1"});
}

TEST_CASE("a jar's classes are read from its directory, and what is no jar has none") {
  const auto field = [](unsigned value, int size) {
    std::string bytes;
    for (int i = 0; i < size; ++i, value >>= 8) bytes += static_cast<char>(value & 0xFF);
    return bytes;
  };
  const auto entry = [&](const std::string& name) {
    return "PK\x01\x02" + std::string(24, '\0') + field(static_cast<unsigned>(name.size()), 2) + field(2, 2) +
           field(3, 2) + std::string(12, '\0') + name + "eecmt";
  };
  const std::string directory = entry("a/B.class") + entry("a/") + entry("C.class");
  const std::string jar =
      "content" + directory + "PK\x05\x06" + std::string(12, '\0') + field(7, 4) + field(2, 2) + "hi";
  CHECK(classes_in_jar(jar) == std::set<std::string>{"a/B", "C"});
  CHECK(classes_in_jar(jar.substr(0, jar.size() - 8)).empty());
  CHECK(classes_in_jar("").empty());
  CHECK(classes_in_jar("PK\x05\x06" + std::string(18, '\xFF')).empty());
}

// --- Commands ---

std::string trigger_of(const std::string& body, const std::string& members = "") {
  const Project project = drafted(tree_of(
      {{"Pin.java", fmt::format("class Pin extends Applet {{ {} public void process(APDU apdu) {{\n"
                                "byte[] buf = apdu.getBuffer(); byte ins = buf[ISO7816.OFFSET_INS]; {} }} }}",
                                members, body)}}));
  return fmt::format("{}", fmt::join(project.trigger.apdus, " "));
}

TEST_CASE("the class byte is what the applet compares with, not any constant of that name") {
  const std::string constants =
      "static final byte CLA_OTHER = 0x11, CLA_PIN = (byte) 0xB0, CLA_MASK = 0x10; ";
  CHECK(trigger_of("if ((buf[0] & CLA_MASK) != CLA_MASK) return; if (buf[ISO7816.OFFSET_CLA] == 0 && ins == "
                   "0xA4) return;"
                   "if (buf[ISO7816.OFFSET_CLA] != CLA_PIN) return; if (ins == 0x10) x();",
                   constants) == "B0100000");
  CHECK(trigger_of("switch (buf[ISO7816.OFFSET_CLA]) { case CLA_PIN: break; } if (ins == 0x10) x();",
                   constants) == "B0100000");
  CHECK(trigger_of("if (!apdu.isISOInterindustryCLA()) return; if (ins == 0x10) x();") == "00100000");
  CHECK(trigger_of("if (apdu.isISOInterindustryCLA()) ISOException.throwIt((short) 0x6E00); if (ins == 0x10) "
                   "x();") == "80100000");
  CHECK(trigger_of("if (buf[ISO7816.OFFSET_CLA] == 0 || (buf[ISO7816.OFFSET_CLA] == 0x10 && ins == 0x10)) "
                   "x();") == "00100000");
  CHECK(trigger_of("if (ins == 0x10) x();", constants) == "11100000");
}

TEST_CASE("class byte and commands are those of the applet itself, not of another one of its package") {
  const auto applet_of = [](const std::string& name, const std::string& body) {
    return "package p; public class " + name +
           " extends javacard.framework.Applet { public void process(APDU apdu) { " + body + " } }";
  };
  const FoundTree tree = tree_of(
      {{"src/p/A.java",
        applet_of("A", "if (ins == 0x10) tell(); if (cla == (byte) 0xE0) go(); if (ins == SHARED) tell();")},
       {"src/p/B.java", applet_of("B",
                                  "if (cla != 0x00) refuse(); if (ins == (byte) 0xB0) read(); } "
                                  "static final byte SHARED = 0x14; void rest() {")},
       {"src/p/C.java", "package p; class C { void go(byte ins) { if (ins == 0x12) help(); } }"}});
  const std::string text = draft_project(tree).text;
  CHECK_THAT(text, Catch::Contains(R"("apdu": "E0)"));
  CHECK_THAT(text, Catch::Contains("//   12 "));
  CHECK_THAT(text, Catch::Contains("//   14 SHARED"));
  CHECK_THAT(text, !Catch::Contains("//   B0 "));
}

TEST_CASE("a command takes data if any place that looks for it reads some") {
  const FoundTree tree =
      tree_of({{"A.java",
                "public class A extends javacard.framework.Applet {\n"
                "  static final byte INS_AUTH = 0x50, INS_OPEN = 0x52;\n"
                "  public void process(APDU apdu) {\n"
                "    if (ins != INS_AUTH) check();\n"
                "    switch (ins) { case INS_AUTH: read(apdu); break; case INS_OPEN: go(); }\n"
                "  }\n"
                "  void read(APDU apdu) { apdu.setIncomingAndReceive(); }\n"
                "}\n"}});
  const std::string text = draft_project(tree).text;
  CHECK_THAT(text, Catch::Contains("//   50 INS_AUTH  (takes data"));
  CHECK_THAT(text, Catch::Contains("//   52 INS_OPEN\n"));
}

TEST_CASE("of the instructions one that reads, takes no data and counts no tries is the first trigger") {
  CHECK(trigger_of("switch (ins) { case INS_VERIFY: return; case (byte) 0xA4: return; case INS_PUT: "
                   "put(apdu); return;\n"
                   "case Ins.SEND: case INS_GET: get(); return; default: }",
                   "static final byte INS_VERIFY = 0x20, INS_PUT = 0x30, INS_GET = (byte) (0x40);\n"
                   "interface Ins { byte SEND = 0x41; }\n"
                   "void put(APDU apdu) { receive(apdu); } void receive(APDU apdu) { "
                   "apdu.setIncomingAndReceive(); }") == "80400000");
}

TEST_CASE("no first trigger changes the card for good, by its name") {
  CHECK(trigger_of("if (ins == INS_BLOCK) block(); if (ins == INS_ACTIVATE_FILE) on(); if (ins == INS_SIGN) "
                   "sign(apdu);",
                   "static final byte INS_BLOCK = 0x50, INS_ACTIVATE_FILE = 0x44, INS_SIGN = 0x2A;\n"
                   "void sign(APDU apdu) { apdu.setIncomingAndReceive(); }") == "802A0000 {input}");
  CHECK(trigger_of("if (ins == INS_GET_BLOCK) get(); if (ins == INS_SIGN) sign();",
                   "static final byte INS_GET_BLOCK = 0x50, INS_SIGN = 0x2A;") == "80500000");
  CHECK(trigger_of("if (ins == INS_SET_STATUS) set(); if (ins == INS_COMPUTE) sign();",
                   "static final byte INS_SET_STATUS = (byte) 0xF0, INS_COMPUTE = 0x2A;") == "802A0000");
}

TEST_CASE("where each command of an applet may count tries, the trigger is said to") {
  const auto trigger_for = [](const std::string& instruction) {
    return drafted(
               tree_of({{"Pin.java",
                         "class Pin extends Applet { static final byte INS_LOGIN = 0x31, INS_SIGN = 0x2A;\n"
                         "public void process(APDU apdu) { if (ins == " +
                             instruction + ") return; } }"}}))
        .trigger;
  };
  const Trigger login = trigger_for("INS_LOGIN");
  CHECK(login.apdus == Strings{"80310000"});
  CHECK(login.counts_tries == true);
  CHECK_FALSE(trigger_for("INS_SIGN").counts_tries);
}

TEST_CASE("a command that takes data gets some") {
  const Project project = drafted(
      tree_of({{"Pin.java",
                "class Pin extends Applet { public void process(APDU apdu) { byte[] b = apdu.getBuffer();\n"
                "if (b[ISO7816.OFFSET_INS] == 0x2A) sign(b[ISO7816.OFFSET_CDATA]); } }"}}));
  CHECK(project.trigger.apdus == Strings{"802A0000 {input}"});
}

}  // namespace
}  // namespace jcprof::rewriter
