// SPDX-License-Identifier: Apache-2.0
// The javac of this JVM, warmed up: compiles the same sources ROUNDS times and prints the milliseconds of each.
// Usage: java WarmJavac.java ROUNDS JAVAC-ARGUMENT…
import java.util.Arrays;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

public class WarmJavac {
    public static void main(String[] arguments) {
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        String[] options = Arrays.copyOfRange(arguments, 1, arguments.length);
        for (int round = Integer.parseInt(arguments[0]); round > 0; round--) {
            long start = System.nanoTime();
            if (javac.run(null, null, null, options) != 0) System.exit(1);
            System.out.println((System.nanoTime() - start) / 1e6);
        }
    }
}
